/// Runs bodies of which each waits for the network, several at once.
enum Abreast {
  /// The most bodies at once.
  static let limit = 16

  /// Runs a body for each item, and returns the results in the order of the items.
  /// - Throws: The first error; the other bodies are cancelled, and waited for.
  static func map<Item: Sendable, Result: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) async throws -> Result
  ) async throws -> [Result] {
    guard items.count > 1 else {
      var results: [Result] = []
      for item in items { results.append(try await body(item)) }
      return results
    }
    return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var results: [Int: Result] = [:]
      for (index, item) in items.enumerated() {
        if index >= limit, let (done, result) = try await group.next() { results[done] = result }
        group.addTask { (index, try await body(item)) }
      }
      for try await (index, result) in group { results[index] = result }
      return items.indices.compactMap { results[$0] }
    }
  }
}
