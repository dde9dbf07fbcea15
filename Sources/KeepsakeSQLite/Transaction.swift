/// The write transaction in which a request's body runs.
///
/// A transaction is valid only inside the body, on the thread that runs it.
package final class Transaction {
  /// The writer's connection, with a transaction open.
  package let db: Connection
  /// The actions to run after the commit, in the order in which requests added them.
  private(set) var actions: [@Sendable () -> Void] = []
  /// The actions that must succeed before the commit.
  private(set) var conditions = CommitConditions()
  /// The index of the request that runs now.
  private var request = 0

  init(_ db: Connection) {
    self.db = db
  }

  /// Adds an action to run once before the commit, however many requests add it under the same name.
  ///
  /// For example, files were renamed into a folder, and the folder has to be synced. The action must not use the connection. It
  /// is dropped if the request is rolled back.
  /// - Parameters:
  ///   - name: The name under which the action runs only once in a transaction.
  ///   - action: The action. If it throws, the requests that added it write nothing and fail with the error, and it is not
  ///     tried again.
  package func beforeCommit(_ name: String, _ action: @escaping @Sendable () throws -> Void) {
    conditions.add(name, for: request, action)
  }

  /// Adds an action to run on the writer's thread once the transaction is durable, before any caller gets an answer.
  ///
  /// Actions run in the order of their adding. An action is dropped if its request is rolled back, and must not wait for the
  /// writer.
  package func afterCommit(_ action: @escaping @Sendable () -> Void) {
    actions.append(action)
  }

  /// Begins the request with an index in the transaction; the first is 0.
  func begin(request: Int) { self.request = request }

  /// Drops the actions that the current request added, because the request was rolled back.
  func dropRequest(keepingActions count: Int) {
    actions.removeSubrange(count...)
    conditions.drop(request)
  }
}
