import KeepsakeSQLite

/// The tables of a store in a write transaction, with the actions that belong to its commit.
///
/// They are valid only inside the request's body, on the thread that runs it.
struct WriteTables {
  private let transaction: Transaction

  init(_ transaction: Transaction) { self.transaction = transaction }

  var tables: Tables { Tables(transaction.db) }

  /// Adds an action to run once before the commit, however many requests add it under the same name.
  ///
  /// If the action throws, none of these requests is committed.
  func beforeCommit(_ name: String, _ action: @escaping @Sendable () throws -> Void) {
    transaction.beforeCommit(name, action)
  }

  /// Adds an action to run once the transaction is durable.
  func afterCommit(_ action: @escaping @Sendable () -> Void) {
    transaction.afterCommit(action)
  }

  /// Writes what changed to the log before the commit, which nobody else sees until then, so that the commit takes less time.
  func writePagesAhead() throws { try transaction.db.writePagesAhead() }
}
