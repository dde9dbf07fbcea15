import KeepsakeSQLite

extension Statement {
  /// Binds the first id of a range, and after it the last.
  func bind(_ entries: ClosedRange<EntryID>) {
    bind(entries.lowerBound)
    bind(entries.upperBound)
  }
}
