import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakeTestSupport
import KeepsakeYardstick

extension Measure {
  static let smallPuts = [1, 10, 50, 100].map { smallPut(kilobytes: $0) }
  static let largePuts = [(1, 8), (10, 2), (100, 1)].map { largePut(megabytes: $0, times: $1) }

  /// A put is an attachment: that is how an artifact comes into a store.
  private static func put(_ bytes: [UInt8], in session: Session) async throws {
    try await session.attach(Entry.NewAttachment(.bytes(bytes)))
  }

  private static func smallPut(kilobytes: Int) -> Measure {
    var names = ["put \(kilobytes) KB"]
    if kilobytes <= 50 { names.append("put \(kilobytes) KB, p50 against a file of its own") }
    return Measure(names: names) { workshop, names in
      try await workshop.withStores { store, plain in
        let session = try await store.createSession(title: "put")
        let number = plain.makeSession()
        var bytes = workshop.material.bytes(kilobytes * 1000)
        let folder = workshop.place("files")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var time = Comparison()
        var file = Comparison()
        for round in -2..<workshop.rounds {
          var (ours, theirs, files): ([Double], [Double], [Double]) = ([], [], [])
          // One of each by turns: what a put leaves for the disk to do meets all three alike.
          for _ in 0..<40 {
            workshop.material.renew(&bytes)
            let fresh = bytes
            ours.append(try await microseconds { try await put(fresh, in: session) })
            theirs.append(await microseconds { plain.put(fresh, in: number) })
            guard names.count > 1, files.count < 20 else { continue }
            let name = "\(workshop.material.next())"
            files.append(
              await microseconds {
                yardstick_create_file(folder.path, name, fresh, fresh.count)
              })
          }
          if round < 0 { continue }
          time.add(1e6 / ours.median, against: 1e6 / theirs.median)
          if names.count > 1 { file.add(ours.median, against: files.median) }
        }
        try FileManager.default.removeItem(at: folder)
        var rows = [Row(names[0], time, unit: "puts/s", goal: .ratioAtLeast(0.85))]
        if names.count > 1 {
          rows.append(Row(names[1], file, unit: "µs", goal: .ratioAtMost(0.6)))
        }
        return rows
      }
    }
  }

  private static func largePut(megabytes: Int, times: Int) -> Measure {
    Measure(names: ["put \(megabytes) MB"]) { workshop, names in
      try await workshop.withStores { store, plain in
        let session = try await store.createSession(title: "put")
        let number = plain.makeSession()
        let file = workshop.place("source")
        let size = megabytes * 1_000_000
        try workshop.material.file(size, at: file)
        let rounds = megabytes < 100 ? workshop.rounds : 5
        let comparison = try await Comparison.rounds(rounds) {
          var samples: [Double] = []
          for _ in 0..<times {
            try workshop.material.renew(file)
            samples.append(
              try await microseconds { try await session.attach(.init(.file(file))) })
          }
          return Double(size) / samples.median
        } against: {
          var samples: [Double] = []
          for _ in 0..<times {
            try workshop.material.renew(file)
            samples.append(await microseconds { plain.put(file, in: number) })
          }
          return Double(size) / samples.median
        }
        try FileManager.default.removeItem(at: file)
        return [Row(names[0], comparison, unit: "MB/s", goal: .ratioAtLeast(0.85))]
      }
    }
  }

  /// How long an attachment keeps whoever asks for it from doing anything else, the main actor as a rule.
  static let heldActor = Measure(names: ["an actor is held by attaching 100 MB"]) {
    workshop, names in
    try await workshop.withStore { store in
      let session = try await store.createSession(title: "held")
      let file = workshop.place("source")
      var bytes = workshop.material.bytes(100_000_000)
      try Data(bytes).write(to: file)
      var held: [Double] = []
      for _ in 0..<(workshop.isQuick ? 5 : 9) {
        workshop.material.renew(&bytes)
        try workshop.material.renew(file)
        // What takes longest counts, bytes in memory or a file's.
        var longest = 0.0
        for source in [ArtifactSource.bytes(bytes), .data(Data(bytes)), .file(file)] {
          let time = try await LoneActor.busy { _ = try await session.attach(.init(source)) }
          longest = max(longest, time.microseconds / 1000)
        }
        held.append(longest)
      }
      try FileManager.default.removeItem(at: file)
      return [Row(names[0], value: held.median, unit: "ms", goal: .valueAtMost(1))]
    }
  }

  static let knownPut = Measure(
    names: [
      "put 100 MB again, against SHA-256 alone", "written by putting 100 MB again",
    ], run: measureKnownPut)

  private static func measureKnownPut(_ workshop: Workshop, _ names: [String]) async throws -> [Row]
  {
    try await workshop.withStore { store in
      let session = try await store.createSession(title: "known")
      let file = workshop.place("source")
      let size = 100_000_000
      try workshop.material.file(size, at: file)
      let bytes = [UInt8](try Data(contentsOf: file))
      try await session.attach(.init(.file(file)))
      var written: [Double] = []
      let comparison = try await Comparison.rounds(5) {
        let before = ProcessFigures.written ?? 0
        let time = try await microseconds { try await session.attach(.init(.file(file))) }
        written.append(Double((ProcessFigures.written ?? 0) - before) / 1000)
        return Double(size) / time
      } against: {
        await workshop.digestSpeed(bytes, times: 1)
      }
      try FileManager.default.removeItem(at: file)
      return [
        Row(names[0], comparison, unit: "MB/s", goal: .ratioAtLeast(0.9)),
        // The attachment's own rows: of the artifact, nothing.
        Row(names[1], value: written.median, unit: "KB", goal: .valueAtMost(64)),
      ]
    }
  }
}
