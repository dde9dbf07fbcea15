/// The links in the row of an attachment or an invocation, all of which name the change that recorded it.
struct Recording {
  let object: String
  /// The operation of the first link.
  let first: Chain.Operation
  /// The number of the link in the row.
  let change: Int
}
