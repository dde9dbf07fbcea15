import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite struct `An entry that is appended again` {
  @Test func `is another entry with an id of its own`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let value = Entry.prompt("again")
      let first = try await session.append(value)
      #expect(first.id == value.id)
      let others = try await session.append([value, .response("no"), value])
      let entries = try await session.entries.all()
      #expect(entries.map(\.text) == ["again", "again", "no", "again"])
      #expect(Set(entries.map(\.id)).count == 4)
      #expect(others.map(\.id) == entries.dropFirst().map(\.id))
      // In another session nothing else has it.
      let other = try await store.createSession()
      #expect(try await other.append(value).id == value.id)
      #expect(try await store.verify().findings == [])
    }
  }

  @Test func `is found by verify where it was stored under the id of another one`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      try await session.append([.prompt("a"), .response("b"), .prompt("c")])
      try await store.handle.exclusively { db in
        try db.execute("UPDATE entry SET uuid = (SELECT uuid FROM entry WHERE id & 16777215 = 0)")
      }
      let findings = try await store.verify().findings
      #expect(
        findings.contains { $0.what == "3 entries have its id, the last of them at position 2." })
    }
  }
}
