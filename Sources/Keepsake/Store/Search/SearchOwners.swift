#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decides under which session a found entry is shown.
///
/// An entry is shown under the searched session, or else under its owner. An entry of a purged session is shown under the
/// oldest fork that has the entry with the indexed text.
struct SearchOwners {
  /// A session under which entries are shown.
  struct Owner {
    let number: Int64
    let id: UUID
    let title: String?
  }

  /// A session that was looked up before, with its state.
  private struct Known {
    let owner: Owner
    let state: Int
  }

  private let viewer: SearchViewer?
  private let tag: String?
  private let db: Tables
  private var known: [Int64: Known] = [:]

  init(viewer: SearchViewer?, tag: String?, db: Tables) {
    self.viewer = viewer
    self.tag = tag
    self.db = db
  }

  /// Returns the session under which an entry is shown; nil if the entry must not be shown.
  mutating func owner(of entry: EntryID) throws -> Owner? {
    if let viewer {
      return viewer.shows(entry) ? try session(viewer.number)?.owner : nil
    }
    guard let known = try session(entry.session) else { return nil }
    switch known.state {
    case 0: return known.owner
    case 2: return try heir(of: entry)
    default: return nil
    }
  }

  private mutating func session(_ number: Int64) throws -> Known? {
    if let known = known[number] { return known }
    guard let row = try db.sessions.named(number) else { return nil }
    let found = Known(
      owner: Owner(number: number, id: row.id, title: row.title), state: row.state)
    known[number] = found
    return found
  }

  /// Returns the oldest fork, direct or indirect, that shows a purged session's entry with the indexed text.
  private mutating func heir(of entry: EntryID) throws -> Owner? {
    for fork in try db.sessions.forks(of: entry.session, sharing: entry.position) {
      guard try db.entries.revised(since: fork.changes, in: entry...entry).isEmpty else {
        continue
      }
      if let heir = try firstShown(fork.number, above: entry.position), try hasTag(heir, entry) {
        return heir
      }
    }
    return nil
  }

  /// Returns the session itself if it is shown, or else its oldest shown fork that shares the position.
  private mutating func firstShown(_ number: Int64, above position: Int) throws -> Owner? {
    var open = [number]
    while let next = open.popLast() {
      guard let session = try session(next) else { continue }
      if session.state == 0 { return session.owner }
      if session.state == 2 {
        open += try db.sessions.forks(of: next, sharing: position).map(\.number).reversed()
      }
    }
    return nil
  }

  private func hasTag(_ owner: Owner, _ entry: EntryID) throws -> Bool {
    guard let tag else { return true }
    return try db.sessions.hasTag(tag, session: owner.number, entry: entry)
  }
}
