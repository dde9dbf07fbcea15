#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

extension EntryTable {
  /// Reads an entry for an audit.
  func audited(_ id: EntryID) throws -> AuditedEntry? {
    let find = try db.prepare("SELECT uuid, kind, lane, digest FROM entry WHERE id = ?")
    find.bind(id)
    guard try find.step() else { return nil }
    return AuditedEntry(
      id: UUID(bytes: find.bytes()),
      kind: try .init(code: find.int(), of: "entry \(id.position)"), lane: find.optionalText(),
      digest: find.digest())
  }

  /// Finds the first entry of a kind among some entries.
  func first(_ kind: Entry.Kind, in ids: ClosedRange<EntryID>) throws -> EntryID? {
    let find = try db.prepare(
      "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND kind = ? ORDER BY id LIMIT 1")
    find.bind(ids)
    find.bind(kind.code)
    return try find.step() ? find.entryID() : nil
  }
}

// MARK: - Tool calls

extension EntryTable {
  /// Passes the tool calls of an entry to a closure, in their order, with the calls that the entry's body tells.
  ///
  /// An erased entry has no body, and tells no calls.
  func forEachCall(
    of entry: EntryID,
    _ body: (_ ordinal: Int, _ id: String?, _ tool: String, _ written: [Entry.ToolCall]) -> Void
  ) throws {
    let find = try db.prepare(
      """
      SELECT t.ordinal, t.call_id, t.tool, e.body FROM tool_call AS t JOIN entry AS e ON e.id = t.entry
      WHERE t.entry = ? ORDER BY t.ordinal
      """)
    find.bind(entry)
    var written: [Entry.ToolCall]?
    while try find.step() {
      let calls =
        try written ?? (find.isNull(3) ? [] : Self.calls(in: find.span(3), at: entry.position))
      written = calls
      body(find.int(0), find.optionalText(1), find.text(2), calls)
    }
  }

  private static func calls(in body: RawSpan, at position: Int) throws -> [Entry.ToolCall] {
    var entry = Entry(.toolCalls)
    do {
      try EntryBody.decode(body, into: &entry)
    } catch let error as JSONError {
      throw KeepsakeError(
        .damaged,
        "The tool calls at position \(position) are damaged: \(error.message.clause).",
        remedy: .verify
      )
    }
    return entry.toolCalls
  }

  /// Passes the tool calls of some entries to a closure, in their order, each with an entry that answers it.
  ///
  /// A call that several entries answer comes once with each; one that none answers comes once.
  func forEachCall(
    in ids: ClosedRange<EntryID>,
    _ body: (_ entry: EntryID, _ ordinal: Int, _ output: EntryID?) -> Void
  ) throws {
    let find = try db.prepare(text: Self.callsAndOutputs)
    find.bind(ids)
    while try find.step() {
      body(find.entryID(0), try find.int(1, in: .index), find.optionalEntryID(2))
    }
  }

  static let callsAndOutputs = """
    SELECT t.entry, t.ordinal, e.id FROM tool_call AS t
      LEFT JOIN entry AS e ON e.call_entry = t.entry AND e.call_ordinal = t.ordinal
    WHERE t.entry BETWEEN ?1 AND ?2 ORDER BY t.entry, t.ordinal
    """

  /// Finds the names of the tools that an entry calls.
  func tools(calledBy entry: EntryID) throws -> [String] {
    let find = try db.prepare("SELECT tool FROM tool_call WHERE entry = ?")
    find.bind(entry)
    var tools: [String] = []
    while try find.step() { tools.append(find.text()) }
    return tools
  }
}
