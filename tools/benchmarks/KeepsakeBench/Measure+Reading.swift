import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakeSQLite
import KeepsakeYardstick

extension Measure {
  /// What the SQLite room adds to SQLite: rows that are in its cache, looked at where they are.
  static let scan = Measure(names: ["scan of 2,000 rows of 1 KB"]) { workshop, names in
    let place = workshop.place("store.keepsake")
    let store = try await Store(at: place)
    let session = try await store.createSession(title: "scan")
    let texts = workshop.material.texts(2000)
    try await session.append(texts.indices.map { .turn($0, texts[$0]) })
    await store.close()
    let plain = PlainStore(reading: place)
    let db = try Connection(path: place.appending(path: "store.sqlite").path, access: .readOnly)
    func scan() throws -> Int64 {
      var sum: Int64 = 0
      let row = try db.prepare("SELECT id, body FROM entry")
      while try row.step() {
        let body = row.span(1)
        sum += row.int64(0) + Int64(body.byteCount) + Int64(body.unsafeLoad(as: UInt8.self))
      }
      return sum
    }
    let expected = plain.scan()
    let comparison = try await Comparison.rounds(8 * workshop.rounds) {
      try await microseconds(of: 20) { _ in
        guard try scan() == expected else { throw Surprise.wrongCount }
      }.median
    } against: {
      await microseconds(of: 20) { _ in _ = plain.scan() }.median
    }
    db.close()
    try FileManager.default.removeItem(at: place)
    return [Row(names[0], comparison, unit: "µs", goal: .ratioAtMost(1.05))]
  }

  static let reload = Measure(
    names: ["reload 200 entries", "reload the last 50 of 200"], run: measureReload)

  private static func measureReload(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    let place = workshop.place("store.keepsake")
    let store = try await Store(at: place)
    var sessions: [Session] = []
    for _ in 0..<50 {
      let session = try await store.createSession(title: "reload")
      let texts = workshop.material.texts(200)
      try await session.append(texts.indices.map { .turn($0, texts[$0]) })
      sessions.append(session)
    }
    try await store.indexForSearch()
    let session = sessions[25]
    // C reads the very same rows.
    let plain = PlainStore(reading: place)
    let number = plain.session(session.id)
    let all = try await Comparison.rounds(4 * workshop.rounds) {
      try await microseconds(of: 50) { _ in
        guard try await session.entries.all().count == 200 else { throw Surprise.wrongCount }
      }.median
    } against: {
      await microseconds(of: 50) { _ in plain.reload(0..<200, of: number) }.median
    }
    let last = try await Comparison.rounds(4 * workshop.rounds) {
      try await microseconds(of: 100) { _ in
        guard try await session.entries(last: 50).count == 50 else { throw Surprise.wrongCount }
      }.median
    } against: {
      await microseconds(of: 100) { _ in plain.reload(150..<200, of: number) }.median
    }
    await store.close()
    try FileManager.default.removeItem(at: place)
    return [
      Row(names[0], all, unit: "µs", goal: .ratioAtMost(2)),
      Row(names[1], last, unit: "µs", goal: .ratioAtMost(2)),
    ]
  }

  static let images = Measure(
    names: [
      "reload with 20 images, lazily, against none",
      "reload with 20 images, eagerly against lazily",
    ], run: measureImages)

  private static func measureImages(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    try await workshop.withStore { store in
      let bare = try await store.createSession(title: "bare")
      let rich = try await store.createSession(title: "rich")
      let texts = workshop.material.texts(200)
      try await bare.append(texts.indices.map { .turn($0, texts[$0]) })
      for (index, text) in texts.enumerated() {
        let images: [Entry.NewAttachment] =
          index % 10 == 5 ? [.init(.bytes(workshop.material.bytes(1_000_000)))] : []
        try await rich.append(.turn(index, text), attaching: images)
      }
      try await store.indexForSearch()
      let lazily = { (session: Session) async throws -> Double in
        try await microseconds(of: 40) { _ in _ = try await session.entries.all() }.median
      }
      let eagerly = { () async throws -> Double in
        try await microseconds(of: 5) { _ in
          for entry in try await rich.entries.all() {
            for attachment in entry.attachments {
              guard try await attachment.data().count == 1_000_000 else {
                throw Surprise.wrongCount
              }
            }
          }
        }.median
      }
      _ = try await eagerly()
      let lazy = try await Comparison.rounds(3 * workshop.rounds) {
        try await lazily(rich)
      } against: {
        try await lazily(bare)
      }
      let eager = try await Comparison.rounds(workshop.rounds) {
        try await eagerly()
      } against: {
        try await lazily(rich)
      }
      return [
        Row(names[0], lazy, unit: "µs", goal: .ratioAtMost(1.3)),
        Row(names[1], eager, unit: "µs", goal: .ratioAtLeast(4)),
      ]
    }
  }

  static let largeRead = artifactRead(bytes: 1_000_000, "read 1 MB again", goal: 0.8)
  static let smallRead = artifactRead(bytes: 10_000, "read 10 KB again", goal: 0.7)

  /// Against opening, reading and closing a file with the same bytes.
  private static func artifactRead(bytes size: Int, _ name: String, goal: Double) -> Measure {
    Measure(names: [name]) { workshop, names in
      try await workshop.withStore { store in
        let session = try await store.createSession(title: "read")
        let bytes = workshop.material.bytes(size)
        let attachment = try await session.attach(.init(.bytes(bytes)))
        guard let artifact = attachment.artifact else { throw Surprise.wrongCount }
        let file = workshop.place("file")
        try Data(bytes).write(to: file)
        let path = file.path
        _ = try await artifact.data()
        let comparison = try await Comparison.rounds(6 * workshop.rounds) {
          let samples = try await microseconds(of: 50) { _ in
            guard try await artifact.data().count == size else { throw Surprise.wrongCount }
          }
          return 1e6 / samples.median
        } against: {
          let samples = await microseconds(of: 50) { _ in
            _ = yardstick_read_file(path, Int64(size))
          }
          return 1e6 / samples.median
        }
        try FileManager.default.removeItem(at: file)
        return [Row(names[0], comparison, unit: "reads/s", goal: .ratioAtLeast(goal))]
      }
    }
  }
}

/// What was measured did not do what it was to do.
enum Surprise: Error, CustomStringConvertible {
  case wrongCount

  var description: String { "a reload or a read did not give back what was stored" }
}
