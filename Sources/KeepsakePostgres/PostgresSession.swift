import KeepsakeFiles

/// A connection in the hands of one thread, with a deadline for each statement.
struct PostgresSession {
  let connection: PostgresConnection
  /// Whether statements are prepared and named.
  let isNamed: Bool

  /// Runs a statement.
  /// - Parameters:
  ///   - statement: The statement.
  ///   - values: Its values.
  ///   - time: The time that it has, beside that for sending its bytes.
  ///   - work: Work that is done once the statement was sent.
  func run(
    _ statement: PostgresStatement, _ values: [PostgresValue], within time: Duration,
    meanwhile work: PostgresMeanwhile? = nil
  ) throws(PostgresFailure) -> [PostgresRow] {
    // A second for each megabyte is what the slowest line has to carry.
    let size = values.reduce(0) { $0 + ($1.bytes?.count ?? 0) } >> 20
    return try connection.run(
      statement, values, isNamed: isNamed, until: .now.advanced(by: time + .seconds(size)),
      meanwhile: work)
  }

  /// Runs SQL without values, which may be several statements.
  func run(
    _ sql: String, expecting tag: String? = nil, within time: Duration
  ) throws(PostgresFailure) {
    try connection.run(sql, expecting: tag, until: .now.advanced(by: time))
  }
}
