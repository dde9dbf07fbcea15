import KeepsakeSQLite

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
  /// The columns of the table's key, by which a row that is there already is found; empty for records that are no rows.
  let key: [String]
  /// The SQL query for the rows of a session.
  let select: ComposedSQL
  /// Tells whether the rows have the number of their session.
  let isOfSession: Bool
  /// The indexes of the columns that a record must have.
  let required: [Int]
  /// The indexes of the columns that are written with the row.
  let stored: [Int]
  /// The indexes of the stored columns whose values are numbers of one store only.
  let translated: [Int]

  /// The names of the groups, in the order in which their first columns stand.
  private let groups: [ShortName]
  /// The names under which a record has the columns, in the order of the columns.
  private let members: [Member]
  private let indexes: [String: Int]

  /// The name of a column in a record.
  private struct Member: Sendable, Equatable {
    let name: ShortName
    /// The index of the group; nil for the record itself.
    let group: Int?
  }

  init(
    _ kind: CopyRecord.Kind, rows: String, scope: String = "",
    children: (name: String, kind: CopyRecord.Kind)? = nil, derived: [String] = [],
    key: [String] = [], columns: [CopyColumn]
  ) {
    self.kind = kind
    self.columns = columns
    self.children = children
    self.rows = rows
    self.scope = scope
    self.derived = derived
    self.key = key
    select = ComposedSQL(
      "SELECT \(columns.map(\.expression).joined(separator: ", ")) FROM \(rows) WHERE \(scope)")
    isOfSession = derived.contains("session")
    required = columns.indices.filter { columns[$0].isRequired }
    stored = columns.indices.filter { columns[$0].column != nil }
    translated = stored.filter { columns[$0].meaning.isTranslated }
    var groups: [String] = []
    for case let group? in columns.map(\.group) where !groups.contains(group) {
      groups.append(group)
    }
    self.groups = groups.map(Self.short)
    members = columns.map { column in
      Member(name: Self.short(column.lastName), group: column.group.flatMap(groups.firstIndex))
    }
    indexes = Dictionary(
      uniqueKeysWithValues: columns.enumerated().map { ($0.element.name, $0.offset) })
  }

  func index(_ name: String) -> Int? { indexes[name] }

  /// Returns the index of a column that the table must have. Whoever keeps it need not look for it again.
  func index(of name: String) -> Int {
    guard let index = index(name) else { preconditionFailure("A \(kind) has no '\(name)'.") }
    return index
  }

  /// Returns the indexes of columns that the table must have.
  func indexes(of names: [String]) -> [Int] { names.map(index(of:)) }

  /// Returns the index of the column that a record has under a name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - group: The index of the group; nil for the record itself.
  ///   - start: The index at which to look first. Most members come in the order of the columns.
  func index(_ name: ShortName, in group: Int?, from start: Int) -> Int? {
    let member = Member(name: name, group: group)
    return members[start...].firstIndex(of: member) ?? members[..<start].firstIndex(of: member)
  }

  /// Returns the index of a group.
  func group(_ name: ShortName) -> Int? { groups.firstIndex(of: name) }

  fileprivate static func short(_ name: String) -> ShortName {
    guard let short = ShortName(name) else { preconditionFailure("'\(name)' is too long.") }
    return short
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

  /// Returns the kind that has a name.
  init?(named name: ShortName) {
    guard let place = Self.names.firstIndex(of: name) else { return nil }
    self = Self.allCases[place]
  }

  private static let names = allCases.map { CopyTable.short($0.rawValue) }

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

extension CopyRecord {
  /// The first column that the record must have and has not got; nil if it has all of them.
  var missingColumn: CopyColumn? {
    let table = kind.table
    return table.required.first { values[$0].isNull }.map { table.columns[$0] }
  }
}
