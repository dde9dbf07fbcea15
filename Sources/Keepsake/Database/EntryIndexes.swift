/// The indexes of those columns of an entry's record that are looked at for each entry. To find a column by its name takes longer.
enum EntryIndexes {
  static let position = CopyTable.entry.index(of: "position")
  static let body = CopyTable.entry.index(of: "body")
  static let toolCalls = CopyTable.entry.index(of: "toolCalls")
  static let revised = CopyTable.entry.index(of: "revised")
  static let salt = CopyTable.entry.index(of: "chain.salt")
}
