/// What a copy has of the rows of one table.
package struct CopyTable: Sendable {
  package let kind: CopyRecord.Kind
  package let columns: [CopyColumn]
  /// The member that the records stand in which belong to one of these: an entry's attachments, a piece's spans.
  package let children: (name: String, kind: CopyRecord.Kind)?
  /// The table and its alias `x`, with what is joined to it; empty for spans, which have none.
  let rows: String
  /// Which rows are a session's, in their order: ?1 is its number, ?2 and ?3 are its first and last possible entry. Of
  /// pieces ?1 and ?2 are the first and the last.
  let scope: String
  /// Columns of the table that are derived again, or given by where the record stands.
  let derived: [String]

  private let indexes: [String: Int]

  init(
    _ kind: CopyRecord.Kind, rows: String, scope: String = "",
    children: (name: String, kind: CopyRecord.Kind)? = nil, derived: [String] = [],
    columns: [CopyColumn]
  ) {
    self.kind = kind
    self.columns = columns
    self.children = children
    self.rows = rows
    self.scope = scope
    self.derived = derived
    indexes = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($0.element.name, $0.offset) })
  }

  func index(_ name: String) -> Int? { indexes[name] }

  /// Reads the rows of a session.
  var select: String {
    "SELECT \(columns.map(\.expression).joined(separator: ", ")) FROM \(rows) WHERE \(scope)"
  }
}

extension CopyRecord.Kind {
  package var table: CopyTable {
    switch self {
    case .session: CopyTable.session
    case .turn: CopyTable.turn
    case .invocation: CopyTable.invocation
    case .entry: CopyTable.entry
    case .attachment: CopyTable.attachment
    case .revision: CopyTable.revision
    case .source: CopyTable.source
    case .piece: CopyTable.piece
    case .span: CopyTable.span
    case .change: CopyTable.change
    }
  }

  /// Those that a session has a list of, in the order in which they are read and written.
  package static let listed: [CopyRecord.Kind] = [
    .turn, .invocation, .entry, .attachment, .revision, .source, .piece, .change,
  ]

  /// The list's name.
  package var plural: String {
    self == .entry ? "entries" : rawValue + "s"
  }
}
