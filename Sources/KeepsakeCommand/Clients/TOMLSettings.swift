/// The settings of a client in TOML, to which a table is added, or from which it is taken away.
///
/// The text is read line by line, as far as is needed to find the lines of one table. Where our entry is written in another
/// way than as a table, or holds text of several lines, a person has to change it.
struct TOMLSettings {
  /// The lines, each with its line end.
  private let lines: [Substring]
  private let group: String
  private let name: String

  init(_ bytes: [UInt8], group: String, name: String) throws {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SettingsEdit.Refusal(message: "it is no UTF-8")
    }
    var lines: [Substring] = []
    var rest = text[...]
    while let end = rest.firstIndex(where: \.isNewline) {
      lines.append(rest[...end])
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { lines.append(rest) }
    self.lines = lines
    self.group = group
    self.name = name
  }

  /// Sets the table to some keys, each given as its name and the TOML of its value.
  func setting(_ keys: [(name: String, value: String)]) throws -> SettingsEdit {
    let range = try table()
    let entry =
      "[\(group).\(name)]\n" + keys.map { "\($0.name) = \($0.value)\n" }.joined()
    guard let range else {
      var text = lines.joined()
      if let last = lines.last, last.last?.isNewline != true { text += "\n" }
      if !text.isEmpty { text += "\n" }
      return SettingsEdit(text: Array((text + entry).utf8), old: nil, new: entry)
    }
    // Blank lines and comments before the next table belong to that.
    let end = ownEnd(of: range)
    let old = lines[range.lowerBound..<end].joined()
    let text = lines[..<range.lowerBound].joined() + entry + lines[end...].joined()
    return SettingsEdit(text: Array(text.utf8), old: old, new: entry)
  }

  /// Takes the table away; nil if there is none.
  func removing() throws -> SettingsEdit? {
    guard let range = try table() else { return nil }
    let end = ownEnd(of: range)
    var start = range.lowerBound
    // The blank line that stands before the table goes with it.
    if start > 0, lines[start - 1].allSatisfy(\.isWhitespace) { start -= 1 }
    let old = lines[range.lowerBound..<end].joined()
    let text = lines[..<start].joined() + lines[end...].joined()
    return SettingsEdit(text: Array(text.utf8), old: old, new: nil)
  }

  private func ownEnd(of range: Range<Int>) -> Int {
    var end = range.upperBound
    while end > range.lowerBound + 1, isBlank(lines[end - 1]) { end -= 1 }
    return end
  }

  private func isBlank(_ line: Substring) -> Bool {
    let text = line.drop(while: \.isWhitespace)
    return text.isEmpty || text.first == "#"
  }

  /// The lines of our table and of the tables inside of it; nil if there is none.
  private func table() throws -> Range<Int>? {
    var start: Int?
    var end: Int?
    for (index, line) in lines.enumerated() {
      if let path = Self.header(line) {
        let isOurs = path.count >= 2 && path[0] == group && path[1] == name
        if isOurs, start == nil { start = index }
        if isOurs, end != nil {
          throw SettingsEdit.Refusal(message: "the table '\(group).\(name)' stands in it twice")
        }
        if !isOurs, start != nil, end == nil { end = index }
      } else {
        let key = line.drop(while: \.isWhitespace)
        guard !key.hasPrefix("\(group).\(name)"), !key.hasPrefix("\(group) "),
          !key.hasPrefix("\(group)=")
        else {
          throw SettingsEdit.Refusal(
            message: "'\(group)' is written in it in another way than as tables")
        }
      }
    }
    guard let start else { return nil }
    let range = start..<(end ?? lines.count)
    if lines[range].contains(where: { $0.contains("\"\"\"") || $0.contains("'''") }) {
      throw SettingsEdit.Refusal(message: "the table '\(group).\(name)' has text of several lines")
    }
    return range
  }

  /// The parts of a table's name; nil for a line that begins no table.
  private static func header(_ line: Substring) -> [String]? {
    let text = line.drop(while: \.isWhitespace)
    guard text.first == "[", let end = text.firstIndex(of: "]") else { return nil }
    let inner = text[text.index(after: text.startIndex)..<end].drop { $0 == "[" }
    return inner.split(separator: ".").map { part in
      part.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
    }
  }
}
