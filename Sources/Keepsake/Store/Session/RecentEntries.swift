#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A small table of the entries that this process appended last.
///
/// With its help, a value that is appended a second time is not stored under the same id. The table is only a hint: the
/// caller looks at the row that it names. Some bits of the random id choose the place in the table, where a newer entry
/// replaces an older one.
final class RecentEntries: Sendable {
  private struct Place {
    var id: UUID
    var entry: EntryID
  }

  private static let count = 4096
  private let places = Locked<[Place?]>([])

  /// Returns the place where the session may already have an entry with this id; nil if none is known.
  func place(of id: UUID, in session: Int64) -> EntryID? {
    places.withLock { places in
      guard !places.isEmpty, let known = places[Self.slot(id)], known.id == id,
        known.entry.session == session
      else { return nil }
      return known.entry
    }
  }

  /// Notes the place where an entry is about to be stored.
  func note(_ id: UUID, at entry: EntryID) {
    places.withLock { places in
      if places.isEmpty { places = [Place?](repeating: nil, count: Self.count) }
      places[Self.slot(id)] = Place(id: id, entry: entry)
    }
  }

  private static func slot(_ id: UUID) -> Int { Int(id.uuid.14 & 0x0f) << 8 | Int(id.uuid.15) }
}

extension Session {
  /// Returns the id for a new entry: the given one, unless another entry of the session has that id already.
  func freeID(for id: UUID, at entry: EntryID, in db: Tables) throws -> UUID {
    let recent = handle.store.recentEntries
    // A transaction that runs again stores it where it was to stand before.
    if let other = recent.place(of: id, in: number), other != entry,
      try db.entries.contains(other, uuid: id)
    {
      return UUID()
    }
    recent.note(id, at: entry)
    return id
  }
}
