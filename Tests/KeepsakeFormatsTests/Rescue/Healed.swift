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

  /// The lines of the new file without the one that every healed file ends with.
  var lines: [String] {
    let isAdded = written.last.map { $0.contains("customTitle") || $0.contains("lastUpdated") }
    return isAdded ?? false ? written.dropLast() : written
  }

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
    if report.changes.contains(where: { $0.edit == .head }) { rest.removeFirst() }
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
      for change in changes where change.edit == .answer && change.pointer == nil {
        if rest.first?.contains(RescueText.unanswered) ?? false { rest.removeFirst() }
      }
    }
    return found + rest.map { "added: \($0)" }
  }

  /// The members that every line may have another value of: the id of the session.
  private static let ids = ["/sessionId", "/payload/id", "/payload/session_id"]

  private func difference(_ before: String, _ now: String, _ named: [String]) -> [String] {
    // Zero bytes around a line go; the line is what it was.
    if named == [""] { return difference(before.replacing("\0", with: ""), now, []) }
    guard let old = try? JSON(validating: Array(before.utf8)),
      let new = try? JSON(validating: Array(now.utf8))
    else { return ["no JSON"] }
    // Where nothing is named, even the spelling is as it was.
    if named.isEmpty {
      let same = before.replacing(Talk.session, with: id.uuidString.lowercased())
      return same == now ? [] : [now]
    }
    var found: [String] = []
    compare(old, new, "", named, &found)
    return found
  }

  private func compare(
    _ old: JSON?, _ new: JSON?, _ pointer: String, _ named: [String], _ found: inout [String]
  ) {
    if old?.text == new?.text || named.contains(pointer) || Self.ids.contains(pointer) { return }
    if let before = old?.members, let now = new?.members {
      var keys = before.map(\.key)
      keys += now.map(\.key).filter { !keys.contains($0) }
      for key in keys { compare(old?[key], new?[key], "\(pointer)/\(key)", named, &found) }
    } else if let before = old?.arrayValue, let now = new?.arrayValue {
      var inPlace: [String] = []
      for index in before.indices where before.count == now.count {
        compare(before[index], now[index], "\(pointer)/\(index)", named, &inPlace)
      }
      if before.count == now.count, inPlace.isEmpty { return }
      // Something went or came, and moved what is behind it: no more differ than are named.
      let texts = Set(now.map(\.text))
      let differing = before.count { !texts.contains($0.text) }
      if differing > named.count(where: { $0.hasPrefix("\(pointer)/") }) { found.append(pointer) }
    } else {
      found.append(pointer)
    }
  }
}
