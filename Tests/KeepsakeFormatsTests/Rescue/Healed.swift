import Foundation

@testable import Keepsake
@testable import KeepsakeFormats

/// A conversation that was healed, and what became of its lines.
struct Healed {
  let report: RescueReport
  let id = UUID()
  /// All lines of the new file.
  let written: [String]
  private let source: [String]

  init(_ file: Data, options: RescueOptions = .init()) throws {
    let rescue = try Self.rescue(file, options)
    report = rescue.report
    var written = Data()
    try rescue.write(as: id) { written += $0 }
    self.written = String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
    source = String(decoding: file, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
  }

  private static func rescue(_ file: Data, _ options: RescueOptions) throws -> Rescue {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).jsonl")
    try file.write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try Rescue(path: url.path, options: options)
  }

  /// The lines of the new file without the title that was added.
  var lines: [String] { written.dropLast() }

  /// What is wrong with the new file.
  func again(_ options: RescueOptions) throws -> [RescueReport.Finding] {
    let text = written.map { $0 + "\n" }.joined()
    return try Self.rescue(Data(text.utf8), options).report.findings
  }

  /// What was changed and is not in the report: of lines that the report does not name every byte but the session's id
  /// counts, of the others all members but those that it names.
  var unnamedChanges: [String] {
    var found: [String] = []
    var rest = lines[...]
    let changes = Dictionary(grouping: report.changes, by: \.line)
    for (index, line) in source.enumerated() where line.contains(where: { $0 != "\0" && $0 != " " })
    {
      let changes = changes[index + 1] ?? []
      let isGone = changes.contains {
        $0.pointer == nil && ($0.edit == .leaveOut || $0.edit == .strip)
      }
      if !isGone {
        guard let now = rest.popFirst() else { return found + ["line \(index + 1) is missing"] }
        found += difference(line, now, changes.compactMap(\.pointer)).map {
          "line \(index + 1): \($0)"
        }
      }
      for _ in changes where changes.contains(where: { $0.edit == .answer }) {
        if rest.first?.contains(RescueText.unanswered) ?? false { rest.removeFirst() }
      }
    }
    return found + rest.map { "added: \($0)" }
  }

  private func difference(_ before: String, _ now: String, _ named: [String]) -> [String] {
    let id = id.uuidString.lowercased()
    // Zero bytes around a line go; the line is what it was.
    if named == [""] { return difference(before.replacing("\0", with: ""), now, []) }
    if named.isEmpty {
      return before.replacing(Talk.session, with: id) == now ? [] : [now]
    }
    guard let old = try? JSON(validating: Array(before.utf8)).members,
      let new = try? JSON(validating: Array(now.utf8)).members
    else { return ["no object"] }
    let keys = Set(named.map { String($0.split(separator: "/").first ?? "") })
    var found: [String] = []
    for (key, value) in old where key != "sessionId" && !keys.contains(key) {
      if new.first(where: { $0.key == key })?.value.text != value.text { found.append(key) }
    }
    for (key, _) in new where !keys.contains(key) && !old.contains(where: { $0.key == key }) {
      found.append(key)
    }
    return found + blocks(old, new, named.count { $0.hasPrefix("/message/content") })
  }

  /// No more blocks differ than the report names changes of.
  private func blocks(
    _ old: [(key: String, value: JSON)], _ new: [(key: String, value: JSON)], _ changes: Int
  ) -> [String] {
    func blocks(_ line: [(key: String, value: JSON)]) -> [String] {
      let content = line.first { $0.key == "message" }?.value["content"]
      return content?.arrayValue?.map(\.text) ?? content.map { [$0.text] } ?? []
    }
    let now = blocks(new)
    let differing = blocks(old).count { !now.contains($0) }
    return differing > changes ? ["\(differing) blocks differ, of \(changes) that are named"] : []
  }
}
