/// A file of profiles, as Amazon's own tools read it: sections in brackets, and a line `name = value` for each setting.
struct ProfileFile {
  /// The settings of each section.
  private(set) var sections: [String: [String: String]] = [:]

  /// Reads the text of a file. Lines that say nothing are passed over, and so are settings inside of settings.
  init(_ text: String) {
    var section: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let plain = Self.trimmed(line)
      if plain.isEmpty || plain.hasPrefix("#") || plain.hasPrefix(";") { continue }
      if plain.hasPrefix("[") {
        let name = plain.dropFirst().prefix { $0 != "]" }
        section = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        continue
      }
      // An indented line belongs to the setting above it.
      guard let section, line.first?.isWhitespace == false, let equals = plain.firstIndex(of: "=")
      else { continue }
      let name = Self.trimmed(plain[..<equals]).lowercased()
      sections[section, default: [:]][name] = Self.trimmed(plain[plain.index(after: equals)...])
    }
  }

  /// The settings of a profile, in a file that is named either way; nil where it has none.
  func profile(_ name: String) -> [String: String]? {
    sections["profile \(name)"] ?? sections[name]
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { String(start[...$0]) } ?? ""
  }
}
