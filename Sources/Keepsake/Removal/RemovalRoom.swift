import KeepsakeSQLite

/// How much more one transaction of a removal may take on.
struct RemovalRoom {
  /// What is removed is written over, and that goes through the log: about a tenth of a second.
  private static let limit: Int64 = 16 << 20

  private(set) var rows: Int
  private var bytes = Self.limit

  init(rows: Int) { self.rows = rows }

  var isLeft: Bool { rows > 0 && bytes > 0 }

  /// - Parameter bytes: As the rows say: in a damaged database that may be anything.
  mutating func take(rows: Int = 1, bytes: Int64 = 0) {
    self.rows -= rows
    self.bytes -= min(max(0, bytes), Self.limit)
  }
}
