import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let pinned = Measure(names: ["append while a reader holds a snapshot"], run: measurePinned)

  private static func measurePinned(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    let place = workshop.place("store.keepsake")
    let store = try await Store(at: place)
    let session = try await store.createSession(title: "pinned")
    let texts = workshop.material.texts(200)
    let p50 = { () async throws -> Double in
      try await microseconds(of: texts.count) { index in
        try await session.append(.turn(index, texts[index]))
      }.median
    }
    for _ in 0..<6 { _ = try await p50() }
    let plain = PlainStore(reading: place)
    // A log can't be unpinned and pinned again in a moment, so all of one kind comes first.
    var normal: [Double] = []
    for _ in 0..<workshop.rounds { normal.append(try await p50()) }
    plain.pin()
    var bytes = workshop.material.bytes(100_000)
    for _ in 0..<(workshop.isQuick ? 300 : 1000) {
      workshop.material.renew(&bytes)
      try await session.attach(.init(.bytes(bytes)))
    }
    var comparison = Comparison()
    for each in normal { comparison.add(try await p50(), against: each) }
    plain.unpin()
    await store.close()
    try FileManager.default.removeItem(at: place)
    return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.5))]
  }

  /// From a store as large as a few conversations to one as large as years of them; and searching the larger one.
  static let growth = Measure(
    names: ScaledWork.all.map { $0.hasToStayFlat ? "growth: \($0.name)" : $0.name }
  ) { workshop, names in
    let scale = Scale(workshop, sizes: [10_000, workshop.isQuick ? 100_000 : 1_000_000])
    return try await scale.ofLargest(names)
  }
}
