/// The files that a tool's output names, as far as that can be seen without opening any.
package enum NamedFiles {
  /// Absolute paths and `file:` URLs: strings of JSON that are nothing else, spaces and all, and what looks like a path
  /// in any other text. In their order, each once.
  package static func names(in output: String) -> [String] {
    var names: [String] = []
    if let json = try? JSON(validating: output) {
      JSONStrings.forEach(in: json) { bytes, _, _ in
        let text = String(decoding: bytes, as: UTF8.self)
        if isName(text) { names.append(text) } else { names += inside(text) }
      }
    } else {
      names = inside(output)
    }
    var known: Set<String> = []
    return names.filter { known.insert($0).inserted }
  }

  /// Whether a whole string is a name.
  private static func isName(_ text: String) -> Bool {
    let isPath = text.hasPrefix("/") && !text.hasPrefix("//")
    return (isPath || text.lowercased().hasPrefix("file:")) && !text.contains(where: \.isNewline)
  }

  private static func inside(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var scan = MentionScan(ReferenceTable([]))
    scan.findsUnknown = true
    return scan.scan(bytes).filter(\.isPath).map {
      String(decoding: bytes[$0.range], as: UTF8.self)
    }.filter { $0.hasPrefix("/") || $0.lowercased().hasPrefix("file:") }
  }
}
