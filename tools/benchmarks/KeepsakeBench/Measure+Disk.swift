import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let disk = Measure(
    names: ["on disk: entries", "on disk: the index of search", "on disk: large artifacts"],
    run: measureDisk)

  /// In relation to the bytes that were given: of bodies, and of artifacts.
  private static func measureDisk(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    let place = workshop.place("store.keepsake")
    let database = place.appending(path: "store.sqlite")
    var options = Store.Options()
    options.searchDelay = nil
    var bodies = 0
    func reopened(_ body: (Store) async throws -> Void) async throws -> Double {
      let store = try await Store(at: place, options: options)
      try await body(store)
      // Closing brings home what is in the log; that is kept for the next time, and has no part in this.
      await store.close()
      return Double(try size(of: database)) / 1_000_000
    }
    let empty = try await reopened { _ in }
    let texts = workshop.material.texts(1000)
    let entries = try await reopened { store in
      for _ in 0..<20 {
        let session = try await store.createSession(title: "disk")
        try await session.append(texts.indices.map { .turn($0, texts[$0]) })
        bodies += texts.reduce(0) { $0 + $1.utf8.count + 32 }
      }
    }
    let indexed = try await reopened { try await $0.indexForSearch() }
    let artifacts = 20
    _ = try await reopened { store in
      let session = try await store.createSession(title: "artifacts")
      for _ in 0..<artifacts {
        try await session.attach(.init(.bytes(workshop.material.bytes(1_000_000))))
      }
    }
    var stored = 0
    let folder = place.appending(path: "artifacts")
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      stored += try size(of: folder.appending(path: name))
    }
    try FileManager.default.removeItem(at: place)
    let given = Double(bodies) / 1_000_000
    return [
      Row(
        names[0], value: entries - empty, yardstick: given, ratio: (entries - empty) / given,
        unit: "MB", goal: .ratioAtMost(1.25)),
      Row(
        names[1], value: indexed - entries, yardstick: given, ratio: (indexed - entries) / given,
        unit: "MB", goal: .ratioAtMost(0.35)),
      Row(
        names[2], value: Double(stored) / 1_000_000, yardstick: Double(artifacts),
        ratio: Double(stored) / 1_000_000 / Double(artifacts), unit: "MB", goal: .ratioAtMost(1.02)),
    ]
  }

  /// The length of a file; 0 of a folder. (What Foundation says of blocks is eight times too much on Linux.)
  private static func size(of file: URL) throws -> Int {
    let values = try file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    return values.isRegularFile == true ? values.fileSize ?? 0 : 0
  }
}
