import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let processes = Measure(
    names: [
      "16 processes against 1, syncs 1 ms slower",
      "16 processes, the fewest turns against a fair share, syncs 1 ms slower",
      "16 processes, the longest wait, syncs 1 ms slower",
    ], isForSlowDisk: true, run: measureProcesses)

  private static func measureProcesses(_ workshop: Workshop, _ names: [String]) async throws
    -> [Row]
  {
    let place = workshop.place("store.keepsake")
    let store = try await Store(at: place)
    let session = try await store.createSession(title: "processes")
    await store.close()
    let writers = 16
    var (rates, shares): (Comparison, Comparison) = (Comparison(), Comparison())
    var longest: [Double] = []
    for _ in 0..<5 {
      let one = try WritingProcess.run(1, on: place, session.id)
      let all = try WritingProcess.run(writers, on: place, session.id)
      rates.add(all.map(\.rate).sum, against: one[0].rate)
      let turns = all.map { Double($0.turns) }
      shares.add(turns.min() ?? 0, against: turns.sum / Double(writers))
      longest.append((all.map(\.longest).max() ?? 0) / 1000)
    }
    try FileManager.default.removeItem(at: place)
    return [
      Row(names[0], rates, unit: "entries/s", goal: .ratioAtLeast(0.9)),
      Row(names[1], shares, unit: "turns", goal: .ratioAtLeast(0.5)),
      Row(names[2], value: longest.median, unit: "ms", goal: .valueAtMost(100)),
    ]
  }
}

/// One of several processes that append to one session at the same time, each entry durable before the next.
struct WritingProcess: Codable {
  /// How often it had its turn.
  var turns: Int
  /// The longest that it waited for one, in microseconds.
  var longest: Double
  /// Its entries a second.
  var rate: Double

  /// Begins when the first byte comes on standard input, goes on for a second, and prints what it found.
  static func append(to place: String, session: String) async throws {
    guard let id = UUID(uuidString: session) else { throw Surprise.wrongCount }
    let store = try await Store(at: URL(filePath: place, directoryHint: .isDirectory))
    let session = try await store.session(id)
    var material = Material()
    let text = material.text()
    // The first one prepares statements.
    try await session.append(.response(text))
    try Crew.wait()
    var samples: [Double] = []
    let clock = ContinuousClock()
    let end = clock.now + .seconds(1)
    while clock.now < end {
      samples.append(try await microseconds { try await session.append(.response(text)) })
    }
    try Crew.report(
      WritingProcess(
        turns: samples.count, longest: samples.max() ?? 0,
        rate: Double(samples.count) * 1e6 / samples.sum))
    await store.close()
  }

  static func run(_ count: Int, on place: URL, _ session: UUID) throws -> [WritingProcess] {
    try Crew.run((0..<count).map { _ in ["--writer", place.path, session.uuidString] })
  }
}
