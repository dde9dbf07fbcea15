/// Finds the files that a tool's output names, without opening any.
package enum NamedFiles {
  /// Returns the absolute paths and `file:` URLs in a tool's output, in order and without duplicates.
  ///
  /// A JSON string that is a path counts as a whole, with its spaces. In other text, everything that looks like a path counts.
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

  /// Tells whether a whole string is a path or a `file:` URL.
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
