import Keepsake

/// Reads the versions of a session from rows that a server sends one by one. Rows that have come are read while the server sends more rows.
struct ComingVersions: PostgresRowReader, Sendable {
  /// The result of reading one row: the version in the row, or the error that keeps the version from being read; nil for a row without a
  /// version.
  typealias Reading = Result<HubVersion, any Error>?

  private let reading: @Sendable (PostgresRow) -> Reading
  /// All rows that have come, in the order in which the server sent them.
  private(set) var rows: [PostgresRow] = []
  /// The results of the rows that have been read. The result at an index belongs to the row at the same index in `rows`.
  private var readings: [Reading] = []

  init(reading: @escaping @Sendable (PostgresRow) -> Reading) { self.reading = reading }

  mutating func take(_ row: PostgresRow) { rows.append(row) }

  mutating func work() -> Bool {
    guard readings.count < rows.count else { return false }
    readings.append(reading(rows[readings.count]))
    return true
  }

  /// Reads the rows that have not been read yet, and returns the result of every row in the order of `rows`.
  func versions() async -> [Reading] {
    readings + (await Abreast.compute(Array(rows[readings.count...]), reading))
  }
}
