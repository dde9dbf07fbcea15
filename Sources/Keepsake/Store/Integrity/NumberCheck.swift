/// Checks that each number is one that its column can hold.
///
/// Most numbers are covered by a digest, or have to agree with what is counted. This check finds numbers that are so far
/// off that reading their row refuses them, also where no other check reads the row.
struct NumberCheck {
  let db: Tables

  func run(table: String, report: inout VerifyReport) throws {
    let ranges = (Self.columns[table] ?? [:]).compactMapValues { $0 }
    try db.checks.forEachStrangeNumber(in: table, outside: ranges) { column, rows, example in
      let object = "the table '\(table)'"
      let what =
        "In \(rows) of its rows '\(column)' is no number that can be there, such as \(example); they can't be read."
      if Self.derived.contains(table) {
        report.derived(object, what)
      } else {
        report.damaged(object, what)
      }
    }
  }

  /// The tables whose rows are derived from other tables.
  private static let derived: Set = [
    "document", "entry_key", "saved", "search_queue", "seen_file",
  ]

  static var tables: [String] { columns.keys.sorted() }

  private static let entry: ClosedRange<Int64> =
    EntryID(session: ClosedRange<Int64>.session.lowerBound, position: 0)
    .rawValue...EntryID(
      session: ClosedRange<Int64>.session.upperBound, position: EntryID.maximumPosition
    ).rawValue
  private static let pieceID: ClosedRange<Int64> =
    PieceID.make(
      source: ClosedRange<Int64>.source.lowerBound, ordinal: 0)...PieceID.make(
      source: ClosedRange<Int64>.source.upperBound, ordinal: PieceID.limit - 1)
  private static let pixels: ClosedRange<Int64> = 1...Int64(Int32.max)
  private static let keyDigest = Int64(Int32.min)...Int64(Int32.max)

  /// The range of each column of whole numbers, by table and column; nil for a time, which may be any number.
  static let columns: [String: [String: ClosedRange<Int64>?]] = [
    "store": ["created": nil],
    "migration": ["number": .ordinal, "applied": nil],
    "session": [
      "number": .session, "created": nil, "updated": nil, "state": 0...3, "parent": .session,
      "fork_position": .entries, "fork_change": .count, "reach": .entries, "entries": .entries,
      "turns": .count, "attachments": .count, "labels": .count, "bytes": .total, "changes": .count,
      "cover": .row, "overlapping": 0...1,
    ],
    "seen_file": [
      "size": .size, "modified": nil, "changed": nil, "inode": nil, "import": .row,
      "settled": 0...1, "reached": .size, "line": .ordinal, "changes": .count,
    ],
    "stream": ["import": .row, "appends": .count, "updated": nil],
    "running": ["session": .session, "kind": 0...1, "number": .row],
    "restoring": ["session": .session],
    "removing": ["session": .session],
    "trace": ["place": 0...1, "begun": 0...1],
    "joined": ["since": nil, "next": .ordinal, "synced": nil, "shared": 0...1, "noted": nil],
    "hub_session": ["version": .count, "removed": 0...3],
    "unsent": ["session": nil, "kind": .code, "first": nil, "second": nil, "place": nil],
    "unsent_session": ["session": .session, "changes": .count],
    "unsent_removal": ["session": nil],
    "session_metadata": ["session": .session],
    "tag": ["session": .session, "entry": -1...entry.upperBound],
    "entry": [
      "id": entry, "kind": .code, "created": nil, "status": .code, "visibility": .code,
      "turn": .ordinal, "call_entry": entry, "call_ordinal": .index, "operation": .code,
      "change": .ordinal,
    ],
    "entry_key": ["session": .session, "digest": keyDigest, "position": .position],
    "revision": [
      "entry": entry, "number": .ordinal, "replaced": nil, "until": .ordinal, "status": .code,
      "operation": .code, "change": .ordinal,
    ],
    "tool_call": ["entry": entry, "ordinal": .index],
    "turn": [
      "session": .session, "number": .ordinal, "opened": nil, "closed": nil, "outcome": .code,
      "attempts": .count,
    ],
    "artifact": [
      "number": .row, "size": .size, "place": 0...1, "created": nil, "width": pixels,
      "height": pixels,
    ],
    "blob": ["number": .row],
    "invocation": [
      "number": .row, "session": .session, "turn": .ordinal, "maker": .code, "started": nil,
      "ended": nil, "outcome": .code, "call_entry": entry, "call_ordinal": .index, "basis": .code,
      "recorded": .ordinal, "operation": .code, "change": .ordinal,
    ],
    "attachment": [
      "number": .row, "session": .session, "entry": entry, "segment": .index, "range_start": .size,
      "range_end": .size, "turn": .ordinal, "created": nil, "artifact": .row, "state": .code,
      "direction": .code, "maker": .code, "basis": .code, "invocation": .row, "call_entry": entry,
      "call_ordinal": .index, "recorded": .count, "operation": .code, "change": .count,
    ],
    "derivation": ["artifact": .row, "attachment": .row],
    "change": [
      "session": .session, "number": .ordinal, "operation": .code, "position": .count,
    ],
    "draft": ["number": .row, "session": .session, "turn": .ordinal],
    "draft_piece": ["draft": .row, "number": .count, "keep": .size],
    "search_queue": ["session": .session, "position": .position],
    "document": ["number": .row, "entry": nil, "change": .ordinal, "segmenter": .index],
    "saved": ["session": .session, "count": .size, "position": .position],
    "log": ["number": .row, "time": nil],
    "source": [
      "number": .source, "created": nil, "size": .size, "records": .count, "base": .source,
      "base_pieces": .piece, "target": .session,
    ],
    "source_piece": ["id": pieceID, "entry": entry, "entries": .entries, "size": .size],
    "source_artifact": ["artifact": .row, "source": .source, "pieces": .ordinal],
    "import": [
      "number": .row, "session": .session, "source": .source, "created": nil, "first": .entries,
      "count": .entries, "recorded": .ordinal, "operation": .code, "change": .ordinal,
    ],
  ]
}
