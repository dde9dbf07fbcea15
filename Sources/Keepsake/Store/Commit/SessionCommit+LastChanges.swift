#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The last changes of a session that was deleted, as a commit that has nothing of them but their links.
extension SessionCommit {
  /// Makes a commit by which a session becomes a deleted one, and its chain goes on.
  /// - Parameters:
  ///   - record: The session's own record.
  ///   - base: The chain before the changes.
  ///   - links: The links of the changes.
  init(
    deleting record: CopyRecord, as session: UUID, from base: Chain,
    by links: some Sequence<ChainLink>
  ) {
    var end = base
    for link in links {
      end.add(code: link.operation, position: link.position, digest: link.digest)
    }
    var record = record
    record["state"] = .integer(Int64(SessionPresence.purged.rawValue))
    let changes = zip((base.count + 1)..., links).map { CopyRecord($1, ofChange: $0) }
    self.init(
      session: session, base: base, end: end, records: [record] + changes, gone: [], erased: [])
  }

  /// Returns the changes that a past has after the one with which this whole session ends; nil if it has none, or does not go on from there.
  func lastChanges(in past: SessionPast) throws -> SessionCommit? {
    let comparison = try PastComparison(ours: SessionPast(of: [self]), theirs: past)
    guard let end, comparison.ours == 0, comparison.theirs > 0, let record = records.first else {
      return nil
    }
    return SessionCommit(
      deleting: record, as: session, from: end, by: past.links(after: end.count))
  }
}

extension Tables {
  /// Writes down an offer that tells the hub what was erased in a session, if the session is about to be deleted and the hub does not know.
  ///
  /// Another store may have a fork of which the hub knows nothing. The fork keeps what it shares with a deleted session, and has to lose what
  /// was erased before. If the session has forks here, its last changes are offered without this. A hub that has deleted the session has
  /// nothing that the offer could build on.
  func writeDownErasures(before deletion: UUID) throws {
    guard try joined.way() == .mirror,
      let number = try sessions.number(of: deletion), try unsent.has(number),
      let standing = try unsent.standing(of: number), let base = standing.base,
      try !sessions.hasForks(number) && !offers.has(deletion),
      let seen = try hubSessions.row(deletion), seen.version > 0, !seen.isRemoved,
      let record = try copies.session(number)
    else { return }
    let links = try ChainHistory(of: number, in: self).links(after: base.count)
    guard links.contains(where: \.erases) else { return }
    try offers.insert(
      OfferTable.Row(
        SessionCommit(deleting: record, as: deletion, from: base, by: links),
        after: seen.stamp))
  }
}

extension CopyRecord {
  /// Makes a record of a link that no row has.
  fileprivate init(_ link: ChainLink, ofChange number: Int) {
    self.init(.change)
    self["number"] = .integer(Int64(number))
    self["operation"] = .integer(Int64(link.operation))
    self["position"] = .integer(Int64(link.position))
    self["digest"] = .blob(link.digest.bytes)
  }
}
