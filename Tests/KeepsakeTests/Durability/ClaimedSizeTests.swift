import Foundation
import Keepsake
import Testing

/// A row that says another size than its artifact has: nothing is handed out as if it were all.
@Suite struct `An artifact of a claimed size` {
  static let sizes = [Int64(0), 1, 1_000_000, 1 << 53]

  /// A store with one small and one large artifact, and the rows changed behind its back.
  private func withClaim<Result>(
    _ size: Int64, of bytes: [UInt8],
    _ body: (Session, Entry.Attachment, Artifact) async throws -> Result
  ) async throws -> Result {
    let folder = try TestFolder()
    var store = try await Store(at: folder.store)
    let id = try await store.createSession().id
    let kept = try await store.session(id).attach(.init(.bytes(bytes), fileName: "a.bin"))
    // It was right once, and is known to this process.
    #expect(try await Array(kept.data()) == bytes)
    _ = try await kept.fileURL()
    await store.close()
    let database = folder.store.appending(path: "store.sqlite").path
    let program = try OtherProgram(
      "/usr/bin/env", ["sqlite3", database, "UPDATE artifact SET size = \(size)"])
    #expect(program.succeeds())
    store = try await Store(at: folder.store)
    let session = try await store.session(id)
    let attachment = try #require(try await session.attachments().first)
    let artifact = try #require(attachment.artifact)
    #expect(artifact.size == size)
    let result = try await body(session, attachment, artifact)
    await store.close()
    return result
  }

  @Test(arguments: sizes, [100, 300_000])
  func `is told, by whatever way it is asked for`(size: Int64, count: Int) async throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try await withClaim(size, of: bytes) { session, attachment, artifact in
      let damaged = KeepsakeError.Code.artifactDamaged
      #expect(await keepsakeError { try await artifact.data() }?.code == damaged)
      #expect(
        await keepsakeError { try await artifact.withBytes { $0.byteCount } }?.code == damaged)
      for piece in [1, 64, 1 << 20, Int.max] {
        let error = await keepsakeError { for try await _ in artifact.chunks(of: piece) {} }
        #expect(error?.code == damaged, "\(piece)")
      }
      #expect(await keepsakeError { try await attachment.fileURL() }?.code == damaged)
      #expect(await keepsakeError { try await artifact.data(in: 0..<1) } != nil)
      let held = await keepsakeError { try await session.attach(.init(.artifact(artifact.id))) }
      #expect(held?.code == damaged)
      // Its bytes, come once more, put it right.
      let again = try await session.attach(.init(.bytes(bytes)))
      #expect(try await Array(again.data()) == bytes)
    }
  }

  @Test(arguments: [Int64(-1), (1 << 53) + 1, .max, .min])
  func `that can't be is damage, whoever reads its row`(size: Int64) async throws {
    let error = await keepsakeError {
      try await withClaim(size, of: [1, 2, 3]) { _, _, _ in }
    }
    #expect(error?.code == .damaged)
  }

  @Test func `that has no bytes is nothing, and that is checked`() async throws {
    try await withClaim(0, of: []) { _, attachment, artifact in
      let data = try await artifact.data()
      #expect(data.isEmpty)
      var pieces = 0
      for try await _ in artifact.chunks() { pieces += 1 }
      #expect(pieces == 0)
      let file = try await attachment.fileURL()
      #expect(try Data(contentsOf: file).isEmpty)
    }
  }
}
