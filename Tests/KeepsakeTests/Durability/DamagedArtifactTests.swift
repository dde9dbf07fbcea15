import Files
import Foundation
import Keepsake
import Testing

/// An artifact whose bytes somebody altered or removed gives an error, and never other bytes.
@Suite struct `An artifact's bytes` {
  static let original = [UInt8](repeating: 7, count: 300_000)

  enum Harm: CaseIterable {
    case flipped, cut, grown, emptied, removed, replacedByLink
  }

  @Test(arguments: Harm.allCases, [true, false])
  func `are never given back wrong`(harm: Harm, wasReadBefore: Bool) async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let attachment = try await session.attach(.init(.bytes(Self.original)))
    let artifact = try #require(attachment.artifact)
    if wasReadBefore { #expect(try await Array(artifact.data()) == Self.original) }
    try Self.inflict(harm, on: Self.file(of: artifact, in: folder.store))

    let expected: KeepsakeError.Code = harm == .removed ? .artifactMissing : .artifactDamaged
    await expect(expected) { try await artifact.data() }
    await expect(expected) { try await artifact.data(in: 10..<20) }
    await expect(expected) { for try await _ in artifact.chunks() {} }
    await expect(expected) { try await attachment.fileURL() }
    #expect(try await session.attachments().count == 1, "what is said of it is still there")

    // Attaching the original again brings the bytes back.
    let again = try await session.attach(.init(.bytes(Self.original)))
    #expect(again.artifact == artifact)
    #expect(try await Array(artifact.data()) == Self.original)
    await store.close()
  }

  @Test func `in a row of the database are checked too`() async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    let attachment = try await session.attach(.init(.bytes(Array("a small one".utf8))))
    await store.close()
    let harm = try OtherProgram(
      "/usr/bin/env",
      [
        "sqlite3", folder.store.appending(path: "store.sqlite").path,
        "UPDATE blob SET bytes = CAST('a small two' AS BLOB)",
      ])
    #expect(harm.succeeds())

    let again = try await Store(at: folder.store)
    let label = attachment.label
    let found = try await again.session(session.id).attachment(label)
    await expect(.artifactDamaged) { try await found.data() }
    await expect(.artifactDamaged) { try await found.fileURL() }
    await again.close()
  }

  static func file(of artifact: Artifact, in store: URL) -> URL {
    let hex = artifact.id.digest.hex
    return store.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
  }

  private static func inflict(_ harm: Harm, on file: URL) throws {
    var bytes = original
    switch harm {
    case .flipped: bytes[150_000] ^= 1
    case .cut: bytes.removeLast()
    case .grown: bytes.append(7)
    case .emptied: bytes = []
    case .removed, .replacedByLink: break
    }
    try FileManager.default.removeItem(at: file)
    switch harm {
    case .removed: break
    case .replacedByLink:
      let elsewhere = file.deletingLastPathComponent().appending(path: "elsewhere")
      try Data(bytes).write(to: elsewhere)
      try FileManager.default.createSymbolicLink(at: file, withDestinationURL: elsewhere)
    default: try Data(bytes).write(to: file)
    }
  }

  private func expect<Result>(
    _ code: KeepsakeError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Result
  ) async {
    let error = await keepsakeError(sourceLocation: sourceLocation, body)
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.message.contains("backup") == true, sourceLocation: sourceLocation)
  }
}
