import KeepsakeSQLite

/// Ids and codes are bound and read as the types that they are in Swift; a row has the numbers and words behind them.
extension Statement {
  /// Binds the number behind an id or a code.
  func bind<Code: RawRepresentable<Int64>>(_ value: Code, at index: Int? = nil) {
    bind(value.rawValue, at: index)
  }

  /// Binds the number behind an id or a code, or NULL.
  func bind<Code: RawRepresentable<Int64>>(_ value: Code?, at index: Int? = nil) {
    bind(value?.rawValue, at: index)
  }

  /// Binds the number behind a code.
  func bind<Code: RawRepresentable<Int>>(_ value: Code, at index: Int? = nil) {
    bind(value.rawValue, at: index)
  }

  /// Binds the word behind a code.
  func bind<Code: RawRepresentable<String>>(_ value: Code, at index: Int? = nil) {
    bind(value.rawValue, at: index)
  }

  /// The id of an entry.
  func entryID(_ column: Int? = nil) -> EntryID { EntryID(rawValue: int64(column)) }

  /// The id of an entry, or nil for NULL.
  func optionalEntryID(_ column: Int? = nil) -> EntryID? {
    optionalInt64(column).map(EntryID.init(rawValue:))
  }
}
