/// How many times as long a body keeps the processor busy for four times as much: about 4 where its cost follows the
/// amount, and 16 where it grows with the square of it.
///
/// Of a few attempts the least: what is measured is the thread's own work, so that a busy machine changes little.
/// - Parameters:
///   - amount: The smaller amount: so much that an expensive step shows, and few enough for a test.
///   - limit: The growth below which no other attempt is made.
///   - prepare: Makes what the body works on; not measured.
///   - body: The work.
package func growth<Input>(
  from amount: Int, below limit: Double = 6, preparing prepare: (Int) throws -> Input,
  of body: (Input) throws -> Void
) rethrows -> Double {
  let small = try prepare(amount)
  let large = try prepare(4 * amount)
  var least = Double.infinity
  // Other threads take the processor's caches from this one. A cost that grows with the square shows in each attempt.
  for _ in 0..<3 where least >= limit {
    let few = try processorTime { try body(small) }
    least = min(least, try processorTime { try body(large) } / few)
  }
  return least
}

/// The same of what is waited for: what its task keeps the processor busy with, wherever it goes on.
///
/// What it has other threads do, as the one that writes to a store, is not in it.
package func growthOfTask<Input>(
  from amount: Int, preparing prepare: (Int) async throws -> Input,
  of body: (Input) async throws -> Void
) async rethrows -> Double {
  let small = try await prepare(amount)
  let large = try await prepare(4 * amount)
  var least = (small: Duration.seconds(Int64.max), large: Duration.seconds(Int64.max))
  for _ in 0..<3 {
    least.small = min(least.small, try await MeteredThread.busy { try await body(small) })
    least.large = min(least.large, try await MeteredThread.busy { try await body(large) })
  }
  return least.large / least.small
}
