import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let append = Measure(
    names: [
      "append, one per call", "append, one per call, p50", "append p50 against the disk's floor",
    ], run: measureAppend)

  private static func measureAppend(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    try await workshop.withStores { store, plain in
      let session = try await store.createSession(title: "append")
      let number = plain.makeSession()
      let texts = workshop.material.texts(200)
      let plainTexts = texts.map { PlainStore.Texts([$0]) }
      var position = 0
      func keepsake(_ count: Int) async throws -> [Double] {
        try await microseconds(of: count) { index in
          try await session.append(.turn(position, texts[index % texts.count]))
          position += 1
        }
      }
      func yardstick(_ count: Int) async -> [Double] {
        await microseconds(of: count) { plain.append(plainTexts[$0 % texts.count], to: number) }
      }
      // Until the log has been written from its beginning again, which is how it stays.
      _ = try await keepsake(1200)
      _ = await yardstick(1200)

      var rate = Comparison()
      var p50 = Comparison()
      var floor = Comparison()
      for round in 0..<(2 * workshop.rounds) {
        var (ours, theirs): ([Double], [Double]) = ([], [])
        if round.isMultiple(of: 2) { ours = try await keepsake(200) }
        theirs = await yardstick(200)
        if ours.isEmpty { ours = try await keepsake(200) }
        rate.add(2e8 / ours.sum, against: 2e8 / theirs.sum)
        p50.add(ours.median, against: theirs.median)
        // Indexing follows when nobody writes, and has a row of its own: here it would run beside the yardstick.
        try await store.indexForSearch()
        floor.add(ours.median, against: try await workshop.floor(200).median)
      }
      return [
        Row(names[0], rate, unit: "entries/s", goal: .ratioAtLeast(0.85)),
        Row(names[1], p50, unit: "µs", goal: .ratioAtMost(1.18)),
        Row(names[2], floor, unit: "µs", goal: .ratioAtMost(2.5)),
      ]
    }
  }

  static let batch = Measure(
    names: [
      "batch of 1000", "batch of 1000, against bodies that need no encoding",
    ], run: measureBatch)

  private static func measureBatch(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    try await workshop.withStores { store, plain in
      let session = try await store.createSession(title: "batch")
      let number = plain.makeSession()
      let texts = workshop.material.texts(1000)
      let plainTexts = PlainStore.Texts(texts)
      let bodies = PlainStore.Texts(bodiesOf: texts)
      let entries = texts.indices.map { Entry.turn($0, texts[$0]) }
      func keepsake() async throws -> Double {
        // Entries know their own identifiers: making them is a part of the work.
        let time = try await microseconds {
          try await session.append(entries.map { Entry.turn($0.kind == .prompt ? 0 : 1, $0.text) })
        }
        try await store.indexForSearch()
        return 1e9 / time
      }
      for _ in 0..<2 {
        _ = try await keepsake()
        plain.append(plainTexts, to: number)
      }
      let encoding = try await Comparison.rounds(2 * workshop.rounds, keepsake) {
        1e9 / (await microseconds { plain.append(plainTexts, to: number) })
      }
      let encoded = try await Comparison.rounds(2 * workshop.rounds, keepsake) {
        1e9 / (await microseconds { plain.append(bodies, to: number) })
      }
      return [
        Row(names[0], encoding, unit: "entries/s", goal: .ratioAtLeast(0.85)),
        Row(names[1], encoded, unit: "entries/s", goal: .ratioAtLeast(0.6)),
      ]
    }
  }

  static let writtenBytes = Measure(
    names: ["written per append", "written for the index of a key"], run: measureWrittenBytes)

  private static func measureWrittenBytes(_ workshop: Workshop, _ names: [String]) async throws
    -> [Row]
  {
    guard ProcessFigures.written != nil else { return [] }
    return try await workshop.withStores { store, plain in
      let session = try await store.createSession(title: "written")
      let number = plain.makeSession()
      let texts = workshop.material.texts(300)
      func written(_ body: () async throws -> Void) async throws -> Double {
        let before = ProcessFigures.written ?? 0
        try await body()
        return Double((ProcessFigures.written ?? 0) - before) / Double(texts.count) / 1000
      }
      let comparison = try await Comparison.rounds(workshop.rounds) {
        try await written {
          for (index, text) in texts.enumerated() { try await session.append(.turn(index, text)) }
        }
      } against: {
        try await written { for text in texts { plain.append(.init([text]), to: number) } }
      }
      let keyed = try await Comparison.rounds(workshop.rounds) {
        try await written {
          for (index, text) in texts.enumerated() {
            var entry = Entry.turn(index, text)
            entry.key = entry.id.uuidString
            try await session.append(entry)
          }
        }
      } against: {
        try await written {
          for (index, text) in texts.enumerated() { try await session.append(.turn(index, text)) }
        }
      }
      return [
        Row(names[0], comparison, unit: "KB", goal: .valueAtMost(26)),
        Row(
          names[1], value: keyed.value - keyed.yardstick, unit: "KB", goal: .valueAtMost(4.5)),
      ]
    }
  }
}
