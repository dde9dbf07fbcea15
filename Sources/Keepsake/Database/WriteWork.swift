/// The work of a request in a write transaction; it may run more than once.
///
/// A closure in its place would be wrapped in another one for the writer, at the cost of an allocation for each request.
protocol WriteWork<Result>: Sendable {
  associatedtype Result: Sendable

  func run(in db: WriteTables) throws -> Result
}
