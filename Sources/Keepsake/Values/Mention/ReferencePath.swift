/// A reference, split into the name at its end and the folder before it, in all spellings of the folder.
struct ReferencePath {
  let name: [UInt64]
  /// The spellings of the folder, up to and including the last slash; empty if the reference is only a name.
  let folders: [[UInt64]]

  init(_ codes: [UInt64]) {
    var path = Self.withoutAliases(codes[...])
    if let colon = path.firstIndex(of: .colon), colon > path.startIndex + 1 || path != codes[...],
      let end = path.firstIndex(where: { $0.isOne(of: "?#") }), end > colon
    {
      path = path[..<end]
    } else if path.count != codes.count, let end = path.firstIndex(where: { $0.isOne(of: "?#") }) {
      path = path[..<end]
    }
    while path.last == .slash { path = path.dropLast() }
    guard let slash = path.lastIndex(of: .slash) else {
      name = Array(path)
      folders = [[]]
      return
    }
    name = Array(path[(slash + 1)...])
    let folder = Array(path[...slash])
    folders = [folder] + Self.atHome(folder)
  }

  /// Removes `file:`, the name of this machine, and the `/private` that macOS puts before temporary folders.
  private static func withoutAliases(_ codes: ArraySlice<UInt64>) -> ArraySlice<UInt64> {
    var path = codes
    if path.starts(with: Self.file), path.dropFirst(5).first == .slash {
      path = path.dropFirst(5)
      if path.starts(with: Self.localhost), path.dropFirst(10).first == .slash {
        path = path.dropFirst(10)
      }
      // In a `file:` URL a slash stands before a drive letter.
      if path.count > 3, path[path.startIndex + 2] == .colon { path = path.dropFirst() }
    }
    if path.starts(with: Self.private) {
      let rest = path.dropFirst(8)
      if Self.aliased.contains(where: { rest.starts(with: $0) }) { path = rest }
    }
    return path
  }

  /// Returns a folder below somebody's home folder as `~/…`.
  private static func atHome(_ folder: [UInt64]) -> [[UInt64]] {
    var parts = folder.split(separator: .slash, omittingEmptySubsequences: false)[...]
    if parts.first?.last == .colon { parts = [[]] + parts.dropFirst() }
    guard parts.count > 2, parts.removeFirst().isEmpty else { return [] }
    let first = parts.removeFirst()
    if homes.contains(Array(first)) {
      guard parts.count > 1 else { return [] }
      parts.removeFirst()
    } else if Array(first) != root {
      return []
    }
    return [[.tilde, .slash] + Array(parts.joined(separator: [.slash]))]
  }

  static let file = codes("file:")
  static let localhost = codes("/localhost")
  static let `private` = codes("/private")
  static let sandbox = codes("sandbox:")
  private static let aliased = ["/var/", "/tmp/", "/etc/"].map(codes)
  private static let homes = [codes("Users"), codes("home")]
  private static let root = codes("root")

  private static func codes(_ text: String) -> [UInt64] { text.utf8.map(UInt64.init) }
}
