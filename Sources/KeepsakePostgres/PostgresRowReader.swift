/// Takes the rows of an answer one by one, and works on them while the server sends the next ones.
protocol PostgresRowReader {
  /// Takes the next row of the answer.
  mutating func take(_ row: PostgresRow)

  /// Does a small piece of work on the rows that were taken.
  /// - Returns: False if there is nothing to do until the next row comes.
  mutating func work() -> Bool
}
