#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// The session of a file is found by the id that the file says, or named by the caller.
extension ImportScan {
  /// Finds the session that came last under the id that the file says; nil if there is none.
  func newestOfSameID(handle: StoreHandle, in db: Tables) throws -> Session? {
    try sessionsOfSameID(handle: handle, in: db).first
  }

  /// Returns the newest sessions that came under the id that the file says.
  func sessionsOfSameID(handle: StoreHandle, in db: Tables) throws -> [Session] {
    guard let foreignID = facts.id else { return [] }
    return try db.sessions.newest(foreignID: foreignID, origin: source.format)
      .map { try Session(number: $0, handle: handle, in: db) }
  }

  /// Compares the file with a session that has its id; nil if they tell different stories.
  func revisingGrowth(of session: Session, in db: Tables) throws -> Growth? {
    guard case .extends(let growth, let unchanged) = try compare(with: session, in: db),
      // A file that has only the ids in common must not change the session.
      unchanged > 0
    else { return nil }
    return growth
  }

  /// Tells whether the session's newest file says all that this one says, and more.
  ///
  /// Then this one is an earlier state of that file, or was cut short, and must not take its place.
  func isOlderState(_ growth: Growth, in db: Tables) throws -> Bool {
    guard case .entries(let positions, let changed, _) = growth.known, changed.isEmpty,
      positions.count == items.count, let last = positions.max()
    else { return false }
    let newest = try db.sources.newestSource(of: growth.session.number, format: source.format)
    guard let newest, let file = try SourceRow(newest, in: db) else { return false }
    return try file.pieces(in: db).contains {
      $0.positions.map { $0.upperBound > last + 1 } ?? false
    }
  }

  /// Compares the file with the session that it is to be taken into, and throws where they part ways.
  func growth(into session: Session, in db: Tables) throws -> Growth {
    switch try compare(with: session, in: db) {
    case .extends(let growth, _): return growth
    case .parts(let position):
      let id = session.id.text
      throw KeepsakeError(
        .diverged,
        """
        Can't take '\(source.name ?? "the file")' into session \(id): they part ways at position \
        \(position), and nothing was changed.
        """, remedy: .fork(session.id, before: position), object: source.name)
    }
  }

  /// The result of comparing a file with a session.
  private enum Comparison {
    /// The file says what is stored, or revises it, and goes on from there. It leaves some entries unchanged.
    case extends(Growth, unchanged: Int)
    /// The file says something else from a position on.
    case parts(position: Int)
  }

  /// Aligns the entries of the file with those of a session.
  private func compare(with session: Session, in db: Tables) throws -> Comparison {
    let row = try SessionRow(session, in: db)
    let stored = try session.storedItems(from: 0, for: nil, row: row, in: db)
    let matched: [Int]
    var parting: Int?
    switch SaveAlignment.align(items, with: stored.map(\.item)) {
    case .extends(let found): matched = found
    case .diverges(let index, let found):
      matched = found
      parting = index < stored.count ? stored[index].position : row.entries
    }
    var changed: Set<Int> = []
    var erased = try session.erasedRecords(in: db)
    for (index, match) in matched.enumerated() {
      let position = stored[match].position
      if stored[match].hasErased { erased.insert(position) }
      if items[index].fingerprint == stored[match].item.fingerprint { continue }
      let entry = try EntryReader(session, in: db).entries(position..<(position + 1))[0]
      if entry.isErased { continue }
      // A fork can't change the entries that it shares. So a fork that takes the file in begins before the first entry that the file changes.
      guard parting == nil, entry.shape == shapes[index],
        session.lineage.owner(of: position).session == session.number
      else { return .parts(position: position) }
      changed.insert(position)
    }
    if let parting { return .parts(position: parting) }
    let growth = Growth(
      session: session, end: row.entries,
      known: .entries(matched.map { stored[$0].position }, changed: changed, erased: erased))
    return .extends(growth, unchanged: matched.count - changed.count)
  }
}
