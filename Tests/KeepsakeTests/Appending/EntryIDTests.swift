import KeepsakeSQLite
import Testing

@testable import Keepsake

@Suite("Ids of entries")
struct EntryIDTests {
  @Test(arguments: [
    EntryID(session: 1, position: 0), EntryID(session: 1, position: 1),
    EntryID(session: 7, position: EntryID.maximumPosition),
    EntryID(
      session: ClosedRange<Int64>.session.upperBound, position: EntryID.maximumPosition),
  ])
  func `SQL takes an id apart and puts it together as Swift does`(id: EntryID) async throws {
    try await withTemporaryStore { store in
      try store.handle.read { db in
        let find = try db.prepare(
          text: """
            SELECT \(EntryID.session(of: "?1")), \(EntryID.position(of: "?1")),
              \(EntryID.id(of: "?2", at: "?3")), ?1 >> ?4, ?1 & ?5
            """)
        find.bind(id)
        find.bind(id.session)
        find.bind(id.position)
        find.bind(EntryID.positionBits)
        find.bind(EntryID.maximumPosition)
        #expect(try find.step())
        #expect(find.int64() == id.session)
        #expect(find.int() == id.position)
        #expect(find.entryID() == id)
        #expect(find.int64() == id.session)
        #expect(find.int() == id.position)
      }
    }
  }

  @Test func `the ids of a session end where those of the next one begin`() {
    let all = EntryID.all(of: 3)
    let next = EntryID.all(of: 4).lowerBound.rawValue
    #expect(EntryID.range(0..<(EntryID.maximumPosition + 1), of: 3) == all)
    #expect(all.upperBound.rawValue + 1 == next)
    #expect(EntryID.end(of: 3, after: EntryID.maximumPosition + 1) == next)
    #expect(EntryID.end(of: 3, after: 0) == all.lowerBound.rawValue)
  }
}
