/// The number of rows and bytes that a transaction of a removal may still remove.
struct RemovalRoom {
  /// The greatest number of bytes. Removed bytes are overwritten through the log, which takes about a tenth of a
  /// second.
  private static let limit: Int64 = 16 << 20

  private(set) var rows: Int
  private var bytes = Self.limit

  init(rows: Int) { self.rows = rows }

  var isLeft: Bool { rows > 0 && bytes > 0 }

  /// Notes what was removed.
  /// - Parameters:
  ///   - rows: The number of rows.
  ///   - bytes: The number of bytes as the rows tell it, which may be anything in a damaged database.
  mutating func take(rows: Int = 1, bytes: Int64 = 0) {
    self.rows -= rows
    self.bytes -= min(max(0, bytes), Self.limit)
  }
}
