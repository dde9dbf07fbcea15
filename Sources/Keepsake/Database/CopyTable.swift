/// The columns and the query for one table of the store in a copy.
///
/// It is an object, so that passing it on copies no arrays and texts.
package final class CopyTable: Sendable {
  package let kind: CopyRecord.Kind
  package let columns: [CopyColumn]
  /// The name and kind of the records inside of these: the attachments of an entry, or the spans of a piece.
  package let children: (name: String, kind: CopyRecord.Kind)?
  /// The table with the alias `x`, and the tables joined to it; empty for spans, which have no table.
  let rows: String
  /// The SQL condition for the rows of a session, with their order.
  ///
  /// ?1 is the session's number, and ?2 and ?3 are the session's first and last possible entry ids. For pieces, ?1 and ?2 are
  /// the first and the last id.
  let scope: String
  /// The columns of the table that are derived again, or follow from the record's place.
  let derived: [String]
  /// The SQL query for the rows of a session.
  let select: String

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
    select =
      "SELECT \(columns.map(\.expression).joined(separator: ", ")) FROM \(rows) WHERE \(scope)"
    indexes = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($0.element.name, $0.offset) })
  }

  func index(_ name: String) -> Int? { indexes[name] }

  /// Returns the indexes of columns that the table must have. Whoever keeps them need not look for them again.
  func indexes(of names: [String]) -> [Int] {
    names.map { name in
      guard let index = index(name) else { preconditionFailure("A \(kind) has no '\(name)'.") }
      return index
    }
  }

  /// Returns the index of the column with a name in a group.
  ///
  /// - Parameters:
  ///   - name: The last name of the column.
  ///   - group: The group; nil for the record itself.
  ///   - start: The index at which to look first. Most members come in the order of the columns.
  func index(_ name: String, in group: String?, from start: Int) -> Int? {
    for index in start..<columns.count
    where columns[index].lastName == name && columns[index].group == group {
      return index
    }
    return columns[..<start].firstIndex { $0.lastName == name && $0.group == group }
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
    case .standing: CopyTable.standing
    case .recognition: CopyTable.recognition
    case .saved: CopyTable.saved
    }
  }

  /// The kinds of which a session has a list, in the order in which they are read and written.
  package static let listed: [CopyRecord.Kind] = [
    .turn, .invocation, .entry, .attachment, .revision, .source, .piece, .change,
  ]

  /// The kinds that only commits have: a copy derives their values again.
  package static let onlyInCommits: [CopyRecord.Kind] = [.standing, .recognition, .saved]

  /// The name of the list.
  package var plural: String {
    self == .entry ? "entries" : rawValue + "s"
  }
}
