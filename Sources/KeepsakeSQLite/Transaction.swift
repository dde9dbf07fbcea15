/// The write transaction that a request's body runs in.
///
/// Good only inside the body: it belongs to the writer's thread.
public final class Transaction {
  /// The writer's connection, with a transaction open.
  public let db: Connection
  /// What waits for the commit, in the order in which it was asked for.
  private(set) var actions: [@Sendable () -> Void] = []
  /// What the commit waits for.
  private(set) var conditions = CommitConditions()
  /// Which of the transaction's requests runs now.
  private var request = 0

  init(_ db: Connection) {
    self.db = db
  }

  /// Has something done before the commit, once however often it is asked for by its name: a folder is synced, say,
  /// that files were renamed into.
  ///
  /// Should it throw, nothing is written of any request that asked for it, and they get its error; it is not tried
  /// again. It is dropped when the request's work is rolled back. It must not use the connection.
  public func beforeCommit(_ name: String, _ action: @escaping @Sendable () throws -> Void) {
    conditions.add(name, for: request, action)
  }

  /// Has something done once the transaction is durable, on the writer's thread, in order, and before
  /// anyone whose request is in it hears of that.
  ///
  /// It is dropped when the request's work is rolled back. It must not wait for the writer.
  public func afterCommit(_ action: @escaping @Sendable () -> Void) {
    actions.append(action)
  }

  /// The next of several requests begins; the first is 0.
  func begin(request: Int) { self.request = request }

  /// Drops what the request that runs now has asked for, because it was rolled back.
  func dropRequest(keepingActions count: Int) {
    actions.removeSubrange(count...)
    conditions.drop(request)
  }
}
