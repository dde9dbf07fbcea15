#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Rows that one store has removed from a deleted session, and another store still has.
extension SessionCommit {
  /// Returns this deleted session with the entries, attachments and runs that another store still has, and of which this commit has nothing
  /// but their links.
  ///
  /// Each store removes the rows of a deleted session that its own forks do not need. The links stay, so they tell which rows of the two
  /// stores are the same. An entry that the other store has erased since is added as an erased one, with a link behind all others.
  /// - Parameter other: The whole session as the other store has it. The session may go on in another way there.
  func keeping(rowsOf other: SessionCommit) -> SessionCommit {
    guard isWhole, isOfPurged, let end else { return self }
    var kept = KeptRows(of: self, endingAt: end)
    kept.add(rowsOf: other)
    guard kept.hasNew else { return self }
    return SessionCommit(
      session: session, base: base, end: kept.end, records: kept.records, gone: gone, erased: erased
    )
  }

  /// The whole session as one that was deleted and still has all of its rows.
  var hidden: SessionCommit {
    var records = records.filter { ![.turn, .saved, .standing].contains($0.kind) }
    if records.first?.kind == .session {
      for column in ["title", "tags", "metadata"] { records[0][column] = .null }
      records[0]["state"] = .integer(Int64(SessionPresence.purged.rawValue))
    }
    return SessionCommit(
      session: session, base: base, end: end, records: records, gone: gone, erased: erased)
  }

  /// The position of the first entry that is missing in this whole session.
  var firstMissing: Int {
    let positions = Set(records.filter { $0.kind == .entry }.map(\.place))
    var position = records.first?.int("fork.position") ?? 0
    while positions.contains(position) { position += 1 }
    return position
  }
}

/// The rows of a deleted session in one store, to which those of another store are added.
private struct KeptRows {
  private(set) var end: Chain
  /// Tells whether a row was added.
  private(set) var hasNew = false
  private var lists: [CopyRecord.Kind: [CopyRecord]]
  /// The links of which the session has no row, by the numbers of their changes.
  private var bare: [Int: ChainLink] = [:]
  /// The position of the first entry that is missing. An entry is added if all before it are there, because a session has no gaps.
  private var next: Int
  private let before: Int
  /// The changes that recorded the attachments and runs.
  private var recorded: Set<Int>
  private var runs: Set<CopyRecord.Value>
  private var recording: Int64

  init(of commit: SessionCommit, endingAt end: Chain) {
    self.end = end
    lists = Dictionary(grouping: commit.records, by: \.kind)
    next = commit.firstMissing
    before = next
    let (attachments, invocations) = (lists[.attachment] ?? [], lists[.invocation] ?? [])
    recorded = Set((attachments + invocations).map(\.recorded))
    runs = Set(invocations.map { $0["id"] })
    recording = attachments.compactMap { $0.integer("recording") }.max() ?? 0
    for record in lists[.change] ?? [] {
      if let change = record.link?.change { bare[change] = record.chainLink }
    }
  }

  /// The records of all rows, in the order in which they can be written.
  var records: [CopyRecord] {
    var lists = lists
    lists[.session]?[0]["chain.changes"] = .integer(Int64(end.count))
    lists[.session]?[0]["chain.head"] = .blob(end.head.bytes)
    lists[.change]?.removeAll { $0.link.map { bare[$0.change] == nil } ?? false }
    return SessionCommit.kinds.flatMap { lists[$0] ?? [] }
  }

  mutating func add(rowsOf other: SessionCommit) {
    let rows = Dictionary(grouping: other.records, by: \.kind)
    for run in rows[.invocation] ?? [] where !recorded.contains(run.recorded) {
      if add(run) {
        recorded.insert(run.recorded)
        runs.insert(run["id"])
      }
    }
    for entry in (rows[.entry] ?? []).sorted(by: { $0.place < $1.place })
    where entry.place == next {
      if add(entry) || add(erased: entry, losing: rows[.change] ?? []) { next += 1 }
    }
    lists[.revision, default: []] += (rows[.revision] ?? []).filter {
      (before..<next).contains($0.place)
    }
    for attachment in rows[.attachment] ?? [] where hasPlace(for: attachment) {
      var attachment = attachment
      attachment["recording"] = .integer(recording + 1)
      if add(attachment) { recording += 1 }
    }
  }

  /// Adds a row whose link the session has.
  private mutating func add(_ record: CopyRecord) -> Bool {
    guard let change = record.link?.change, let link = bare[change], record.chainLink == link else {
      return false
    }
    bare[change] = nil
    lists[record.kind, default: []].append(record)
    hasNew = true
    return true
  }

  /// Adds an entry that the other store has erased, if the session has the link that the entry lost with that, and no later one of it.
  private mutating func add(erased entry: CopyRecord, losing links: [CopyRecord]) -> Bool {
    guard let erasure = entry.chainLink, erasure.operation == Chain.Operation.eraseEntry.rawValue,
      let change = entry.link?.change,
      let lost = links.filter({ $0.isLink(ofEntryAt: entry.place, before: change) })
        .max(by: { $0.link?.change ?? 0 < $1.link?.change ?? 0 }),
      let lostChange = lost.link?.change, bare[lostChange] == lost.chainLink,
      !bare.contains(where: {
        $0.key > lostChange && $0.value.isOfEntry && $0.value.position == entry.place
      })
    else { return false }
    end.add(code: erasure.operation, position: erasure.position, digest: erasure.digest)
    var entry = entry
    entry["chain.change"] = .integer(Int64(end.count))
    lists[.entry, default: []].append(entry)
    hasNew = true
    return true
  }

  /// Tells whether an attachment is missing, and the entry and the run are there that it names.
  private func hasPlace(for attachment: CopyRecord) -> Bool {
    !recorded.contains(attachment.recorded)
      && attachment.int("position").map { $0 < next } ?? true
      && (attachment["invocation"].isNull || runs.contains(attachment["invocation"]))
  }
}

extension CopyRecord {
  /// The position of an entry, or of the entry that a revision is of.
  fileprivate var place: Int { int("position") ?? 0 }

  /// Tells whether a record of a `change` is the link of an entry that a later change took from the entry's row.
  fileprivate func isLink(ofEntryAt position: Int, before change: Int) -> Bool {
    guard let link, let chainLink else { return false }
    return link.change < change && chainLink.isOfEntry && link.position == position
  }
}
