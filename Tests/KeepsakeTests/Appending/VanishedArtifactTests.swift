import Foundation
import SQLite
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
      try await store.core.write { change in
        try change.db.execute("DELETE FROM source_span")
      }
      _ = try await store.removingArtifacts {
        try await store.importing(LineFormat.source(String(grown)))
      }
      #expect(try session.replayed() == String(grown))
    }
  }

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
