import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let concurrency = Measure(names: [
    "16 tasks against 1", "16 tasks, p99 against 1 task's p50",
  ]) { workshop, names in
    try await tasks(workshop, names, rounds: workshop.rounds, rate: 3, latency: 8)
  }

  static let slowConcurrency = Measure(
    names: [
      "16 tasks against 1, syncs 1 ms slower",
      "16 tasks, p99 against 1 task's p50, syncs 1 ms slower",
    ], isForSlowDisk: true
  ) { workshop, names in
    try await tasks(workshop, names, rounds: 5, rate: 8, latency: 4)
  }

  private static func tasks(
    _ workshop: Workshop, _ names: [String], rounds: Int, rate: Double, latency: Double
  ) async throws -> [Row] {
    try await workshop.withStore { store in
      var sessions: [Session] = []
      for _ in 0..<16 { sessions.append(try await store.createSession(title: "task")) }
      let texts = workshop.material.texts(100)
      _ = try await append(texts, to: sessions)
      var rates = Comparison()
      var latencies = Comparison()
      for _ in 0..<rounds {
        let one = try await append(texts, to: [sessions[0]])
        try await store.indexForSearch()
        let all = try await append(texts, to: sessions)
        try await store.indexForSearch()
        rates.add(all.rate, against: one.rate)
        latencies.add(all.samples.percentile(0.99), against: one.samples.median)
      }
      return [
        Row(names[0], rates, unit: "entries/s", goal: .ratioAtLeast(rate)),
        Row(names[1], latencies, unit: "µs", goal: .ratioAtMost(latency)),
      ]
    }
  }

  /// Each session has a task that appends one text after the other.
  private static func append(_ texts: [String], to sessions: [Session]) async throws -> (
    samples: [Double], rate: Double
  ) {
    var samples: [Double] = []
    let time = try await microseconds {
      try await withThrowingTaskGroup(of: [Double].self) { group in
        for session in sessions {
          group.addTask {
            try await microseconds(of: texts.count) { index in
              try await session.append(.turn(index, texts[index]))
            }
          }
        }
        for try await some in group { samples += some }
      }
    }
    return (samples, Double(samples.count) * 1e6 / time)
  }
}
