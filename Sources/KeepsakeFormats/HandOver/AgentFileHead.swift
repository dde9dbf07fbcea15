import KeepsakeFiles
import Keepsake

/// The first lines of an agent's file.
struct AgentFileHead {
  private let lines: [JSONObject]

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: 0x0A).compactMap { line in
      let line = Array(line)
      return HeldLines.isJSON(line) ? JSONObject(0..<line.count, in: line) : nil
    }
  }

  /// The string of a member in the first line that has it, or whose inner object has it.
  func first(_ key: String, in outer: String? = nil) -> String? {
    object(with: key, in: outer)?.string(key)
  }

  /// The first line that has a member, or the first inner object of a line that has it.
  func object(with key: String, in outer: String? = nil) -> JSONObject? {
    lines.lazy.compactMap { line in outer.map { line.object($0) } ?? line }
      .first { $0.string(key) != nil }
  }
}
