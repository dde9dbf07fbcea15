import KeepsakeSQLite

/// Binding and reading of ids and codes as their Swift types; the database has their numbers and words.
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

  /// Reads the id of an entry.
  func entryID(_ column: Int? = nil) -> EntryID { EntryID(rawValue: int64(column)) }

  /// Reads the id of an entry, or nil for NULL.
  func optionalEntryID(_ column: Int? = nil) -> EntryID? {
    optionalInt64(column).map(EntryID.init(rawValue:))
  }
}
