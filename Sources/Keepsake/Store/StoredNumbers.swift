import KeepsakeSQLite

/// The numbers that the store's columns can hold.
///
/// A database comes from a disk, and perhaps from somebody else. So a number is compared with one of these where its row
/// is read: what is within them can be added, shifted and counted to without overflowing.
extension ClosedRange<Int64> {
  /// Where an entry stands.
  static var position: Self { 0...Int64(EntryID.maximumPosition) }

  /// How many entries there are, and so the position behind the last.
  static var entries: Self { 0...Int64(EntryID.maximumPosition) + 1 }

  /// A session's number, which stands above the position in its entries' ids.
  static var session: Self { 1...1 << 38 }

  /// A source's number, which stands above the ordinal in its pieces' ids.
  static var source: Self { 1...1 << 34 }

  /// The number of any other row.
  static var row: Self { 1...1 << 53 }

  /// A place in a file of which pieces are kept.
  static var piece: Self { 0...Int64(PieceID.limit) - 1 }

  /// What is counted from 0: changes, turns, labels, attachments.
  static var count: Self { 0...1 << 40 }

  /// What is counted from 1: the number of a change, a turn, or a revision.
  static var ordinal: Self { 1...1 << 40 }

  /// An index into a list of one entry.
  static var index: Self { 0...Int64(Int32.max) }

  /// Bytes of one thing, and places between them.
  static var size: Self { 0...1 << 53 }

  /// Bytes of many things together.
  static var total: Self { 0...1 << 62 }

  /// A code for one of a few cases.
  static var code: Self { 0...255 }
}

extension Statement {
  /// An integer that is within a range; NULL reads as 0.
  func int64(_ column: Int? = nil, in range: ClosedRange<Int64>) throws(KeepsakeError) -> Int64 {
    let column = position(column)
    let value = int64(column)
    guard range.contains(value) else { throw outside(range, column) }
    return value
  }

  /// An integer that is within a range; NULL reads as 0.
  func int(_ column: Int? = nil, in range: ClosedRange<Int64>) throws(KeepsakeError) -> Int {
    Int(try int64(column, in: range))
  }

  /// An integer that is within a range, or nil for NULL.
  func optionalInt64(
    _ column: Int? = nil, in range: ClosedRange<Int64>
  ) throws(KeepsakeError) -> Int64? {
    let column = position(column)
    return isNull(column) ? nil : try int64(column, in: range)
  }

  /// An integer that is within a range, or nil for NULL.
  func optionalInt(
    _ column: Int? = nil, in range: ClosedRange<Int64>
  ) throws(KeepsakeError) -> Int? {
    let column = position(column)
    return isNull(column) ? nil : try int(column, in: range)
  }

  private func outside(_ range: ClosedRange<Int64>, _ column: Int) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      """
      The store is damaged: '\(name(column))' of a row is \(int64(column)), where a number from \
      \(range.lowerBound) to \(range.upperBound) belongs.
      """, remedy: .verifyAndRestore)
  }
}

extension Connection {
  /// The number that SQLite gave to the row that was inserted last: one more than the highest, if that was within the range.
  func insertedRow(in range: ClosedRange<Int64>) throws(KeepsakeError) -> Int64 {
    let number = lastInsertedRow
    guard range.contains(number) else {
      throw KeepsakeError(
        .damaged,
        """
        The store is damaged: a row has a number so high that no other can follow it.
        """, remedy: .verifyAndRestore)
    }
    return number
  }
}

extension Int64 {
  /// Adds bytes of another thing. A sum that no store can have stays at the limit, as when each of many rows claims more
  /// than there is.
  mutating func addBytes(_ bytes: Int64) {
    let (sum, isTooLarge) = addingReportingOverflow(bytes)
    self = isTooLarge ? .max : sum
  }
}
