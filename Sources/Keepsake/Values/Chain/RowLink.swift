import KeepsakeFiles

/// The link that last wrote a row.
struct RowLink: Equatable {
  var operation: Chain.Operation
  var change: Int
  var digest: SHA256Digest

  init(operation: Chain.Operation, change: Int, digest: SHA256Digest) {
    self.operation = operation
    self.change = change
    self.digest = digest
  }

  /// The link of a row that is still being put together: it has no digest and no number yet.
  init(beginning operation: Chain.Operation) {
    self.init(operation: operation, change: 0, digest: Self.nothing)
  }

  private static let nothing = SHA256.digest(of: [])
}
