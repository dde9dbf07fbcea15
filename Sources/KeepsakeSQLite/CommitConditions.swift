/// The actions that must succeed before a transaction commits, each run once for all requests that asked for it by name.
struct CommitConditions {
  /// The error of an action that failed, with the requests that asked for the action and must not be committed.
  struct Unmet: Error {
    /// The indexes of the requests in the transaction, counted from 0.
    let requests: Set<Int>
    let cause: any Error
  }

  /// The actions in the order in which requests asked for them.
  private var conditions: [(name: String, meet: @Sendable () throws -> Void)] = []
  private var names: Set<String> = []
  /// The names of the actions that each request asked for.
  private var asked: [Int: Set<String>] = [:]

  /// Adds an action for a request, unless an action of the same name is there already.
  mutating func add(_ name: String, for request: Int, _ meet: @escaping @Sendable () throws -> Void)
  {
    asked[request, default: []].insert(name)
    if names.insert(name).inserted { conditions.append((name, meet)) }
  }

  /// Removes a request, which must be the last that added an action, and the actions that no other request asked for.
  mutating func drop(_ request: Int) {
    guard let dropped = asked.removeValue(forKey: request) else { return }
    let unwanted = dropped.filter { name in !asked.values.contains { $0.contains(name) } }
    names.subtract(unwanted)
    conditions.removeAll { unwanted.contains($0.name) }
  }

  /// Runs all actions in order, and stops at the first that throws.
  func meet() throws(Unmet) {
    for condition in conditions {
      do { try condition.meet() } catch {
        let requests = asked.filter { $0.value.contains(condition.name) }
        throw Unmet(requests: Set(requests.keys), cause: error)
      }
    }
  }
}
