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
  func run(
    _ statement: PostgresStatement, _ values: [PostgresValue], within time: Duration
  ) throws(PostgresFailure) -> [PostgresRow] {
    try connection.run(
      statement, values, isNamed: isNamed, until: Self.deadline(for: values, time))
  }

  /// Runs a statement that reads, and passes on each row as soon as it has come.
  func run(
    _ request: PostgresRequest, within time: Duration, into reader: inout some PostgresRowReader
  ) throws(PostgresFailure) {
    try connection.run(
      request.statement, request.values, isNamed: isNamed,
      until: Self.deadline(for: request.values, time), into: &reader)
  }

  /// Sends a request, and returns the moment until which its rows are to be read.
  func send(_ request: PostgresRequest, within time: Duration) throws(PostgresFailure) -> Instant {
    let deadline = Self.deadline(for: request.values, time)
    try connection.send(request.statement, request.values, isNamed: isNamed, until: deadline)
    return deadline
  }

  /// Tells whether a statement can be sent at once, without a round trip that has the server plan it.
  func isReady(for statement: PostgresStatement) -> Bool {
    !isNamed || connection.isPrepared(statement)
  }

  /// Runs statements in their order, and waits for their answers together.
  /// - Parameters:
  ///   - requests: The statements. If one fails, those after it are not run.
  ///   - time: The time that all of them have, beside that for sending their bytes.
  func run(
    together requests: [PostgresRequest], within time: Duration
  ) throws(PostgresFailure) -> [PostgresAnswer] {
    try connection.run(
      together: requests, isNamed: isNamed,
      until: Self.deadline(for: requests.flatMap(\.values), time))
  }

  private static func deadline(for values: [PostgresValue], _ time: Duration) -> Instant {
    // A second for each megabyte is what the slowest line has to carry.
    let size = values.reduce(0) { $0 + ($1.bytes?.count ?? 0) } >> 20
    return .now.advanced(by: time + .seconds(size))
  }

  /// Runs SQL without values, which may be several statements.
  func run(
    _ sql: String, expecting tag: String? = nil, within time: Duration
  ) throws(PostgresFailure) {
    try connection.run(sql, expecting: tag, until: .now.advanced(by: time))
  }
}
