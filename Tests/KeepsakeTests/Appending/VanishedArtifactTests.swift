import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// A large text or artifact that the store held when a write was made ready, and that is gone when its turn comes.
@Suite struct `Artifacts that vanish before they are written` {
  private static let text = String(repeating: "Ein Satz, 藍色. ", count: 80_000)

  enum Way: CaseIterable { case append, attach, save, revise, settle, finish }

  /// A record that the session has, in a file that is new: only the file's own bytes name the artifact.
  @Test(.timeLimit(.minutes(60))) func `are taken in again for a file that is imported`()
    async throws
  {
    try await withTemporaryStore { store in
      let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
      let line = "c|response|@" + large.base64EncodedString() + "\n"
      let start = "# a talk\na|prompt|Draw.\n"
      let report = try await store.importing(LineFormat.source(start + line))
      let session = try await store.session(report.sessions[0].id)
      let grown = "# again\n" + start.dropFirst("# a talk\n".count) + line + "d|prompt|More.\n"
      try await store.handle.write { change in
        try change.db.execute(
          "DELETE FROM source_artifact; UPDATE source_piece SET spans = NULL")
      }
      _ = try await store.removingArtifacts {
        try await store.importing(LineFormat.source(String(grown)))
      }
      #expect(try session.replayed() == String(grown))
    }
  }

  /// What comes in chunks can't be read again: it has to be there still when the request runs once more.
  @Test(.timeLimit(.minutes(60)), arguments: [false, true])
  func `do not take those with them that are new`(inChunks: Bool) async throws {
    try await withTemporaryStore { store in
      let text = Self.text
      try await store.createSession().append(.response(text))
      let session = try await store.createSession()
      let new = [UInt8](repeating: 9, count: 300_000)
      let hex = SHA256.digest(of: new).hex
      let place = store.url.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
      let source: ArtifactSource =
        inChunks ? .chunks(ArtifactSourceTests.chunks(new, of: 60_000)) : .bytes(new)
      let entry = try await store.removingArtifacts {
        try await session.append(
          .response("both"), attaching: [.init(source), .init(.data(Data(text.utf8)))])
      } behind: { _ in
        // As a sweep does with a file that no row names.
        if FileManager.default.fileExists(atPath: place.path) {
          try FileManager.default.removeItem(at: place)
        }
      }
      #expect(try await entry.attachments[0].data() == Data(new))
      #expect(try await entry.attachments[1].data() == Data(text.utf8))
    }
  }

  @Test func `a write that fails takes its files with it`() async throws {
    try await withTemporaryStore { store in
      let handle = store.handle
      func writeAndFail() async throws {
        let prepared = try await handle.artifacts.prepare(
          .bytes([UInt8](repeating: 9, count: 300_000)))
        try await handle.write { change in
          _ = try handle.artifacts.keep(prepared, handle: handle, in: change)
          #expect(try DeletingTests.files(store).count == 1)
          throw Refusal()
        }
      }
      await #expect(throws: Refusal.self) { try await writeAndFail() }
      #expect(try DeletingTests.files(store).isEmpty)
      let incoming = store.url.appending(path: "incoming")
      let left = try FileManager.default.contentsOfDirectory(atPath: incoming.path)
      #expect(left.filter { !$0.hasPrefix(StoreInstance.namePrefix) }.isEmpty)
    }
  }

  private struct Refusal: Error {}

  @Test(.timeLimit(.minutes(60)), arguments: Way.allCases)
  func `are taken in again`(way: Way) async throws {
    let text = Self.text
    let store = try await Store.temporary()
    let source = try await store.createSession()
    try await source.append(.response(text))
    let session = try await store.createSession()
    try await session.append(.response("short"))
    let draft = try await session.draft()
    switch way {
    case .append:
      try await store.removingArtifacts { try await session.append(.response(text)) }
      #expect(try await session.entry(at: 1).text == text)
    case .attach:
      let data = Data(text.utf8)
      try await store.removingArtifacts { try await session.attach(.init(.data(data)), to: 0) }
      #expect(try await session.entry(at: 0).attachments[0].data() == data)
    case .save:
      try await store.removingArtifacts {
        try await session.save([.response("short"), .response(text)])
      }
      #expect(try await session.entry(at: 1).text == text)
    case .revise:
      try await store.removingArtifacts { try await session.revise(0, to: .response(text)) }
      #expect(try await session.entry(at: 0).text == text)
    case .settle:
      let data = Data(text.utf8)
      let awaited = try await session.attach(.awaited(madeBy: .user), to: 0)
      try await store.removingArtifacts { try await session.settle(awaited, with: .data(data)) }
      #expect(try await session.attachment(awaited.label).data() == data)
    case .finish:
      try await store.removingArtifacts { try await draft.finish(.response(text)) }
      #expect(try await session.entry(at: 1).text == text)
    }
    try await store.removeTemporary()
  }
}
