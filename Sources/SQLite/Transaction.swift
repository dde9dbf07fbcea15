/// The write transaction that a request's body runs in.
///
/// Good only inside the body: it belongs to the writer's thread.
public final class Transaction {
  /// The writer's connection, with a transaction open.
  public let db: Connection
  /// What waits for the commit, in the order in which it was asked for.
  private(set) var actions: [@Sendable () -> Void] = []

  init(_ db: Connection) {
    self.db = db
  }

  /// Has something done once the transaction is durable, on the writer's thread, in order, and before
  /// anyone whose request is in it hears of that.
  ///
  /// It is dropped when the request's work is rolled back. It must not wait for the writer.
  public func afterCommit(_ action: @escaping @Sendable () -> Void) {
    actions.append(action)
  }

  /// Drops the actions of a request that was rolled back.
  func keepActions(_ count: Int) {
    actions.removeSubrange(count...)
  }
}
