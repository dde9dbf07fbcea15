import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// An erasing and a deletion take the place of all that the hub has of a session. If the session is damaged in the store, the hub would have
/// nothing that another store can read.
@Suite struct `A session that is damaged in one store` {
  enum Change: CaseIterable { case erase, delete }

  @Test(arguments: Change.allCases)
  func `is not told to the hub, and the other sessions are`(change: Change) async throws {
    try await Mirrors.make { mirrors in
      let session = try await mirrors.first.createSession()
      for text in ["One.", "Two."] { try await session.append(.prompt(text)) }
      let fork = try await session.fork(before: 1)
      let other = try await mirrors.first.createSession()
      try await mirrors.sync()
      let path = mirrors.first.url.appending(path: "store.sqlite").path
      let db = try Connection(path: path, access: .readWrite)
      let damage = try db.prepare("UPDATE session SET head = zeroblob(32) WHERE id = ?")
      damage.bind(session.id.bytes)
      try damage.run()
      db.close()

      switch change {
      case .erase: try await session.erase(0)
      case .delete: try await mirrors.first.deleteSession(session.id)
      }
      try await other.append(.prompt("Of another session."))
      for _ in 0..<2 {
        let report = try await mirrors.first.sync()
        #expect(report.failed.map(\.session) == [session.id])
        #expect(report.failed.allSatisfy { $0.reason.contains("Verify the store.") })
      }
      try await mirrors.second.sync()
      #expect(try await mirrors.second.session(other.id).count() == 1)
      let late = try await Store.temporary(options: .withoutIndexing)
      try await late.join(mirrors.address)
      try await late.sync()
      for store in [mirrors.second, late] {
        let texts = try await store.session(session.id).entries(last: 10).map(\.text)
        #expect(texts == ["One.", "Two."])
        #expect(try await store.session(fork.id).count() == 1)
      }
      try await late.removeTemporary()
      #expect(try await Store.checkHub(at: mirrors.address, readingData: true).isSound)
    }
  }
}
