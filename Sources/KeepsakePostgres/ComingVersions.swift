import Keepsake

/// Versions of a session that a server sends row by row. The first ones are read while the server sends the next ones.
struct ComingVersions: PostgresRowReader, Sendable {
  /// The version that a row has, or the error that keeps it from being read; nil for a row without a version.
  typealias Reading = Result<HubVersion, any Error>?

  private let reading: @Sendable (PostgresRow) -> Reading
  private(set) var rows: [PostgresRow] = []
  /// What was read of the first rows.
  private var first: [Reading] = []

  init(reading: @escaping @Sendable (PostgresRow) -> Reading) { self.reading = reading }

  mutating func take(_ row: PostgresRow) { rows.append(row) }

  mutating func work() -> Bool {
    guard first.count < rows.count else { return false }
    first.append(reading(rows[first.count]))
    return true
  }

  /// Reads what was not read while the rows came.
  func versions() async -> [Reading] {
    first + (await Abreast.compute(Array(rows[first.count...]), reading))
  }
}
