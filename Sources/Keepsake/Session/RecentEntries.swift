#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// Which entries this process appended last, so that a value that is appended again is not stored twice under one id.
///
/// It is a hint of where to look: what stands there tells. Of ids, which are random, some bits choose the place, and the
/// newer one takes it.
final class RecentEntries: Sendable {
  private struct Place {
    var id: UUID
    var entry: EntryID
  }

  private static let count = 4096
  private let places = Locked<[Place?]>([])

  /// Where an entry of that id may stand already, of the same session.
  func place(of id: UUID, in session: Int64) -> EntryID? {
    places.withLock { places in
      guard !places.isEmpty, let known = places[Self.slot(id)], known.id == id,
        known.entry.session == session
      else { return nil }
      return known.entry
    }
  }

  /// Notes where an entry is about to be stored.
  func note(_ id: UUID, at entry: EntryID) {
    places.withLock { places in
      if places.isEmpty { places = [Place?](repeating: nil, count: Self.count) }
      places[Self.slot(id)] = Place(id: id, entry: entry)
    }
  }

  private static func slot(_ id: UUID) -> Int { Int(id.uuid.14 & 0x0f) << 8 | Int(id.uuid.15) }
}

extension Session {
  /// The id that an entry is stored under: its own, unless one of the session has that already.
  func freeID(for id: UUID, at entry: EntryID, in db: Connection) throws -> UUID {
    let recent = core.store.recentEntries
    // A transaction that runs again stores it where it was to stand before.
    if let other = recent.place(of: id, in: number), other != entry {
      let find = try db.prepare("SELECT 1 FROM entry WHERE id = ? AND uuid = ?")
      find.bind(other)
      find.bind(id.bytes)
      if try find.step() { return UUID() }
    }
    recent.note(id, at: entry)
    return id
  }
}
