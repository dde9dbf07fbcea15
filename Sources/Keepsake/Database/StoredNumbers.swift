import KeepsakeSQLite

/// The ranges of numbers that the store's columns can hold.
///
/// A database may be damaged, or made by somebody else, so a number is compared with its range when its row is read. A number
/// within its range can be added, shifted and counted to without an overflow.
extension ClosedRange<Int64> {
  /// The positions of entries.
  static var position: Self { 0...Int64(EntryID.maximumPosition) }

  /// The numbers of entries in a session, which are also the positions after the last entry.
  static var entries: Self { 0...Int64(EntryID.maximumPosition) + 1 }

  /// The numbers of sessions, which stand above the position in the ids of entries.
  static var session: Self { 1...1 << 38 }

  /// The numbers of sources, which stand above the ordinal in the ids of pieces.
  static var source: Self { 1...1 << 34 }

  /// The numbers of all other rows.
  static var row: Self { 1...1 << 53 }

  /// The places of pieces in a stored file.
  static var piece: Self { 0...Int64(PieceID.limit) - 1 }

  /// The counts that start at 0, of changes, turns, labels and attachments.
  static var count: Self { 0...1 << 40 }

  /// The numbers that start at 1, of changes, turns and revisions.
  static var ordinal: Self { 1...1 << 40 }

  /// The indexes into a list of one entry.
  static var index: Self { 0...Int64(Int32.max) }

  /// The sizes in bytes of single things, and offsets in them.
  static var size: Self { 0...1 << 53 }

  /// The sizes in bytes of many things together.
  static var total: Self { 0...1 << 62 }

  /// The codes of enumerations.
  static var code: Self { 0...255 }
}

extension Statement {
  /// Reads an integer and throws if it is outside of a range; NULL reads as 0.
  func int64(_ column: Int? = nil, in range: ClosedRange<Int64>) throws(KeepsakeError) -> Int64 {
    let column = position(column)
    let value = int64(column)
    guard range.contains(value) else { throw outside(range, column) }
    return value
  }

  /// Reads an integer and throws if it is outside of a range; NULL reads as 0.
  func int(_ column: Int? = nil, in range: ClosedRange<Int64>) throws(KeepsakeError) -> Int {
    Int(try int64(column, in: range))
  }

  /// Reads an integer, or nil for NULL, and throws if it is outside of a range.
  func optionalInt64(
    _ column: Int? = nil, in range: ClosedRange<Int64>
  ) throws(KeepsakeError) -> Int64? {
    let column = position(column)
    return isNull(column) ? nil : try int64(column, in: range)
  }

  /// Reads an integer, or nil for NULL, and throws if it is outside of a range.
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

extension Tables {
  /// Returns the number that SQLite gave to the last inserted row, and throws if it is outside of a range.
  func insertedRow(in range: ClosedRange<Int64>) throws(KeepsakeError) -> Int64 {
    let number = connection.lastInsertedRow
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
  /// Adds a number of bytes; an impossible sum stays at the limit, as when each of many rows claims more than there is.
  mutating func addBytes(_ bytes: Int64) {
    let (sum, isTooLarge) = addingReportingOverflow(bytes)
    self = isTooLarge ? .max : sum
  }
}
