/// The indexes of the columns in which a record has the link of the change that last wrote the record's row.
struct LinkColumns: Sendable {
  /// The number of the change.
  let change: Int
  /// The position that the link names: that of an entry, or the number of the change that recorded the row.
  let position: Int
  let operation: Int
  let digest: Int
}

extension CopyRecord.Kind {
  /// The columns of the link in a record of the kind; nil if the kind's records have no link.
  var linkColumns: LinkColumns? {
    switch self {
    case .entry: LinkColumns.entry
    case .attachment: LinkColumns.attachment
    case .invocation: LinkColumns.invocation
    case .source: LinkColumns.source
    case .change: LinkColumns.change
    case .session, .turn, .revision, .piece, .span, .standing, .recognition, .saved: nil
    }
  }
}

extension LinkColumns {
  fileprivate static let entry = LinkColumns(
    CopyTable.entry, "chain.change", "position", "chain.operation", "chain.digest")
  fileprivate static let attachment = LinkColumns(recordedIn: CopyTable.attachment)
  fileprivate static let invocation = LinkColumns(recordedIn: CopyTable.invocation)
  fileprivate static let source = LinkColumns(recordedIn: CopyTable.source)
  /// A record of a `change` is itself a link, which no other row holds any more.
  fileprivate static let change = LinkColumns(
    CopyTable.change, "number", "position", "operation", "digest")

  private init(recordedIn table: CopyTable) {
    self.init(table, "chain.change", "chain.recorded", "chain.operation", "chain.digest")
  }

  private init(
    _ table: CopyTable, _ change: String, _ position: String, _ operation: String, _ digest: String
  ) {
    let indexes = table.indexes(of: [change, position, operation, digest])
    self.init(
      change: indexes[0], position: indexes[1], operation: indexes[2], digest: indexes[3])
  }
}
