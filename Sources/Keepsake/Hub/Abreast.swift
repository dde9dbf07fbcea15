/// Runs a body for each of many items, several at once.
package enum Abreast {
  /// The most bodies that wait for the network at once, where the caller does not say another number.
  package static let limit = 16
  /// The number of items for which one task computes.
  private static let computedAtOnce = 32

  /// Runs a body for each item, and returns the results in the order of the items.
  /// - Throws: The first error; the other bodies are cancelled, and waited for.
  package static func map<Item: Sendable, Result: Sendable>(
    _ items: [Item], atMost limit: Int = limit,
    _ body: @escaping @Sendable (Item) async throws -> Result
  ) async throws -> [Result] {
    var results = [Result?](repeating: nil, count: items.count)
    try await forEach(items, atMost: limit, body) { results[$0] = $1 }
    return results.compactMap(\.self)
  }

  /// Runs a body for each item, and passes each result to a closure as soon as it is there.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - limit: The most bodies at once.
  ///   - body: The body.
  ///   - take: A closure that gets the index of an item and the result of its body.
  /// - Throws: The first error; the other bodies are cancelled, and waited for.
  package static func forEach<Item: Sendable, Result: Sendable>(
    _ items: [Item], atMost limit: Int = limit,
    _ body: @escaping @Sendable (Item) async throws -> Result,
    _ take: (Int, Result) throws -> Void
  ) async throws {
    guard items.count > 1, limit > 1 else {
      for (index, item) in items.enumerated() { try take(index, try await body(item)) }
      return
    }
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      for (index, item) in items.enumerated() {
        if index >= limit, let (done, result) = try await group.next() { try take(done, result) }
        group.addTask { (index, try await body(item)) }
      }
      for try await (index, result) in group { try take(index, result) }
    }
  }

  /// Runs a body that computes for a few microseconds, and returns the results in the order of the items. Where there are many items, the
  /// body runs on several processors.
  package static func compute<Item: Sendable, Result: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) -> Result
  ) async -> [Result] {
    if items.count <= computedAtOnce { return items.map(body) }
    return await withTaskGroup(of: (Int, [Result]).self) { group in
      for start in stride(from: 0, to: items.count, by: computedAtOnce) {
        let part = items[start..<min(start + computedAtOnce, items.count)]
        group.addTask { (start, part.map(body)) }
      }
      let parts = await group.reduce(into: []) { $0.append($1) }
      return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }
  }
}
