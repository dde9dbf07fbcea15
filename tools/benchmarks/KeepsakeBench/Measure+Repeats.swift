import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  /// How much a store grows by a log that repeats its images tens of thousands of times, for each byte that is unique in it.
  ///
  /// What is unique are the bytes of the images, and all bytes of the lines that are no base64, each counted once. The log has
  /// images of a tenth of the usual size and a tenth of the repeats: so the words beside the images keep their share.
  static let repeats = Measure(
    names: ["store of repeated images", "store of repeated images and text"]
  ) { workshop, names in
    guard let command = workshop.command, let python = Programs.python else { return [] }
    let empty = workshop.place("empty.keepsake")
    let first = try await Store(at: empty)
    try await first.compact()
    await first.close()
    let before = try size(of: empty.appending(path: "store.sqlite"))
    try FileManager.default.removeItem(at: empty)
    return try zip(names, [0, 4096]).map { name, text in
      let log = workshop.place("rollout.jsonl")
      let store = workshop.place("store.keepsake")
      let facts = workshop.place("facts.json")
      defer {
        for place in [log, store, facts] { try? FileManager.default.removeItem(at: place) }
      }
      let script = """
        exec 2>"$1" >"$2"; exec "$3" -B tools/benchmarks/compactions.py --size 28500 --repeats 5000 --text "$4"
        """
      _ = Programs.microseconds(
        ["/bin/sh", "-c", script, "sh", facts.path, log.path, python, String(text)])
      let unique = try JSONDecoder().decode(Facts.self, from: Data(contentsOf: facts)).unique
      _ = Programs.microseconds([command, "--store", store.path, "import", log.path])
      _ = Programs.microseconds([command, "--store", store.path, "compact"])
      let taken =
        try size(of: store.appending(path: "store.sqlite"))
        + size(of: store.appending(path: "artifacts")) - before
      return Row(
        name, value: Double(taken) / Double(unique), unit: "of what is unique",
        goal: .valueAtMost(1.02))
    }
  }

  private struct Facts: Decodable {
    let unique: Int
  }

  /// The bytes of a file, or of all files in a folder.
  private static func size(of place: URL) throws -> Int {
    let keys: Set<URLResourceKey> = [.fileSizeKey, .isRegularFileKey]
    let files = FileManager.default.enumerator(at: place, includingPropertiesForKeys: Array(keys))
    let all = [place] + (files?.compactMap { $0 as? URL } ?? [])
    return try all.reduce(0) { sum, file in
      let values = try file.resourceValues(forKeys: keys)
      return sum + (values.isRegularFile == true ? values.fileSize ?? 0 : 0)
    }
  }
}
