/// What the requests of a transaction need done before its commit: each thing by its name, and once for all who ask.
struct CommitConditions {
  /// Something could not be done: those who asked for it must not be committed.
  struct Unmet: Error {
    /// Which of the transaction's requests, counted from 0.
    let requests: Set<Int>
    let cause: any Error
  }

  /// In the order in which they were asked for.
  private var conditions: [(name: String, meet: @Sendable () throws -> Void)] = []
  private var names: Set<String> = []
  /// Who asked for what; without those who asked for nothing.
  private var asked: [Int: Set<String>] = [:]

  /// Asks for something; only the first of a name is done.
  mutating func add(_ name: String, for request: Int, _ meet: @escaping @Sendable () throws -> Void)
  {
    asked[request, default: []].insert(name)
    if names.insert(name).inserted { conditions.append((name, meet)) }
  }

  /// Forgets a request, the last one that asked.
  mutating func drop(_ request: Int) {
    guard let dropped = asked.removeValue(forKey: request) else { return }
    let unwanted = dropped.filter { name in !asked.values.contains { $0.contains(name) } }
    names.subtract(unwanted)
    conditions.removeAll { unwanted.contains($0.name) }
  }

  /// Does all of it, and stops at what can't be done.
  func meet() throws(Unmet) {
    for condition in conditions {
      do { try condition.meet() } catch {
        let requests = asked.filter { $0.value.contains(condition.name) }
        throw Unmet(requests: Set(requests.keys), cause: error)
      }
    }
  }
}
