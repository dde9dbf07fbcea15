/// What the row of an attachment or invocation says of its links, which all name the change that recorded it.
struct Recording {
  let object: String
  /// What its first link did.
  let first: Chain.Operation
  /// The link that the row holds.
  let change: Int
}
