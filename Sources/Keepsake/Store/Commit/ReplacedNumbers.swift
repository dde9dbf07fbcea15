#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The numbers of sessions that are written anew.
///
/// A session that shares the same entries as before gets the number that it had, so that handles of the session stay good. Any other session
/// gets a number above all numbers in use, so that a handle from before finds nothing, and shows no entries of another session.
struct ReplacedNumbers {
  private let places: [UUID: SessionTable.Place]
  private var highest: Int64

  /// Reads the numbers of sessions whose rows are about to go, and that may have the same number again.
  init(of sessions: [UUID], in db: Tables) throws {
    var places: [UUID: SessionTable.Place] = [:]
    for session in sessions { places[session] = try db.sessions.place(of: session) }
    self.places = places
    highest = try db.sessions.highestNumber()
  }

  /// Returns the number for a session that a commit makes; nil if the commit makes none.
  mutating func next(for commit: SessionCommit, in db: Tables) throws -> Int64? {
    guard commit.isWhole, let record = commit.records.first else { return nil }
    let parent = try record.bytes("fork.of").flatMap { try db.sessions.standing(of: $0)?.number }
    if let place = places[commit.session], place.parent == parent,
      place.position == record.int("fork.position"), place.change == record.int("fork.change")
    {
      return place.number
    }
    highest += 1
    return highest
  }
}
