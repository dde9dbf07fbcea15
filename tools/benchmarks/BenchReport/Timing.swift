/// Measures the time that a body takes, in microseconds.
package func microseconds(_ body: () async throws -> Void) async rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try await body()
  return (clock.now - start).microseconds
}

/// Runs a body several times, and measures the microseconds that each run takes.
package func microseconds(of count: Int, _ body: (Int) async throws -> Void) async rethrows
  -> [Double]
{
  var samples: [Double] = []
  samples.reserveCapacity(count)
  for index in 0..<count { samples.append(try await microseconds { try await body(index) }) }
  return samples
}

extension Duration {
  package var microseconds: Double {
    Double(components.seconds) * 1e6 + Double(components.attoseconds) / 1e12
  }
}
