#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Works out the counters of a session that is made of ours, and what lists show of it.
struct PartedStanding {
  private let parting: Parting
  private let rows: PartedRows
  private let sizes: [Artifact.ID: Int64]
  private let own: CopyRecord
  private var ours: SessionRecords { parting.ours }

  /// Begins with the counters of this store's session; nil if that session was deleted, because a deleted session has no counters.
  init?(_ parting: Parting, _ rows: PartedRows, sizes: [Artifact.ID: Int64]) {
    guard let own = parting.ours.standing else { return nil }
    self.own = own
    self.parting = parting
    self.rows = rows
    self.sizes = sizes
  }

  /// Returns the record. It shows as many entries, attachments and labels as our session.
  func record() throws -> CopyRecord {
    var standing = own
    standing["bytes"] = .integer(try bytes())
    standing["turns"] = .integer(Int64(turns()))
    if parting.isFlat {
      let listed = rows[.attachment].filter {
        $0.int("direction") != Entry.Attachment.Direction.content.code
      }
      standing["attachments"] = .integer(Int64(listed.count))
    }
    if standing["preview"] != .null,
      rows.erasedPositions.contains(where: { ours.entries[$0]?.isEntry(.prompt) ?? false })
    {
      standing["preview"] = try preview().map { .text(Array($0.utf8)) } ?? .null
    }
    setCover(of: &standing)
    return standing
  }

  /// The bytes of bodies, of revisions and of attached artifacts.
  private func bytes() throws -> Int64 {
    var bytes: Int64 = 0
    for record in rows[.entry] + rows[.revision] {
      bytes += Int64(record.bytes("body")?.count ?? 0)
    }
    for artifact in rows[.attachment].compactMap(\.artifact) {
      guard let size = sizes[artifact] else {
        throw CopyFault("the size of \(artifact), which session \(ours.id) has, is not told")
      }
      bytes += size
    }
    return bytes
  }

  /// The highest turn that the session has, or shares where it begins.
  private func turns() -> Int {
    var highest = 0
    for record in rows[.entry] + rows[.attachment] + rows[.invocation] {
      highest = max(highest, record.int("turn") ?? 0)
    }
    for turn in rows[.turn] { highest = max(highest, turn.int("number") ?? 0) }
    let start = parting.isFlat ? 0 : parting.isFork ? parting.commonEntries : ours.start
    if own.int("overlapping") == 1 {
      for (position, entry) in ours.entries where position < start {
        highest = max(highest, entry.int("turn") ?? 0)
      }
    } else if let last = ours.entries[start - 1] {
      highest = max(highest, last.int("turn") ?? 0)
    }
    return highest
  }

  /// The beginning of the first prompt that was not erased. A text that is kept as an artifact adds nothing to it.
  private func preview() throws -> String? {
    for position in ours.entries.keys.sorted() {
      guard let entry = ours.entries[position], entry.isEntry(.prompt),
        entry.int("visibility") != Entry.Visibility.model.code,
        !rows.erasedPositions.contains(position), let body = entry.bytes("body")
      else { continue }
      var said = Entry(.prompt)
      try EntryBody.decode(body.span.bytes, into: &said)
      return said.preview
    }
    return nil
  }

  /// Names the cover by the session that has it now; without one if it was erased.
  private func setCover(of standing: inout CopyRecord) {
    guard standing.bytes("cover.of") == ours.id.bytes, let recorded = standing.int("cover.recorded")
    else {
      if parting.isFlat {
        standing["cover.of"] = .null
        standing["cover.recorded"] = .null
      }
      return
    }
    let isShared = parting.isFork && recorded <= parting.common
    let number = isShared ? recorded : parting.number(of: recorded)
    let isErased =
      isShared
      ? rows.erasedShared.contains(recorded) || isOfErasedEntry(recorded)
      : rows.erasedAttachments.contains(number)
    standing["cover.recorded"] = isErased ? .null : .integer(Int64(number))
    if isErased {
      standing["cover.of"] = .null
    } else if !isShared {
      standing["cover.of"] = .blob(parting.id.bytes)
    }
  }

  /// Tells whether the attachment that a change of our session recorded is of an entry that was erased.
  private func isOfErasedEntry(_ recorded: Int) -> Bool {
    let position = ours[.attachment].first { $0.recorded == recorded }?.int("position")
    return position.map(rows.erasedPositions.contains) ?? false
  }
}
