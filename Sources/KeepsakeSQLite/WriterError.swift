/// An error of the writer itself; nothing of the failed request was written.
package enum WriterError: Error, Sendable, Hashable {
  /// Another process held the store's lock for longer than the writer's patience.
  ///
  /// The holder is the id of the process that took the lock last, if known. Trying again is safe.
  case lockTimeout(holder: Int32?)
  /// The store at the path is not the store that was opened; the writer writes nothing more.
  case storeReplaced
  /// The database's log, or the log's index, was deleted or replaced; the writer writes nothing more.
  case logReplaced
  /// The writer was closed.
  case closed
  /// The request's body ended the transaction, or caught an error after which SQLite had ended it.
  case transactionLost
}

extension WriterError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .lockTimeout(let holder?):
      "Can't write to the store: process \(holder) has held its lock for too long. "
        + "Try again, or end that process."
    case .lockTimeout(nil):
      "Can't write to the store: another process has held its lock for too long. Try again."
    case .storeReplaced:
      "Can't write to the store: another store has taken its place on disk. Open it again."
    case .logReplaced:
      "Can't write to the store: its log was deleted or replaced. Open it again."
    case .closed:
      "Can't write to the store: it was closed. Open it again."
    case .transactionLost:
      "Can't write to the store: the transaction ended before the request did. "
        + "Nothing of it was written."
    }
  }
}
