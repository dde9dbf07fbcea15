import KeepsakeFiles
import Keepsake

/// Finds the files that lie beside an export by the ids under which the export's conversations name them.
///
/// The export's folder and the folders below it are searched. Links are not followed.
final class AssetFolder: Sendable {
  /// The path of the export.
  private let file: String
  private let found = Locked<[Asset]?>(nil)

  struct Asset: Sendable {
    let name: String
    let path: String
  }

  private static let depthLimit = 6

  init(beside file: String) { self.file = file }

  private var folder: String {
    guard let end = file.lastIndex(of: "/") else { return "." }
    return String(file[...end])
  }

  /// The file whose name is the id, or begins with the id followed by `-` or `.`; nil where there is none.
  func file(_ id: String) -> Asset? {
    guard !id.isEmpty else { return nil }
    let all = assets()
    // The names are sorted as bytes, so the names that begin with the id stand together.
    var low = 0
    var high = all.count
    while low < high {
      let middle = (low + high) / 2
      if Self.precedes(all[middle].name, id) { low = middle + 1 } else { high = middle }
    }
    return all[low...].prefix { $0.name.utf8.starts(with: id.utf8) }.first { asset in
      let behind = asset.name.utf8.dropFirst(id.utf8.count).first
      return behind == nil || behind == UInt8(ascii: "-") || behind == UInt8(ascii: ".")
    }
  }

  /// The file at a path below the export's folder or one of its direct subfolders; nil where there is none.
  func file(at names: [String]) -> Asset? {
    guard let last = names.last, !names.contains(where: { $0.isEmpty || $0 == ".." || $0 == "." }),
      let root = try? Directory(path: folder)
    else { return nil }
    let below = ((try? root.listing().names) ?? []).lazy.compactMap { try? root.subdirectory($0) }
    for start in [root] + below {
      var place: Directory? = start
      for name in names.dropLast() { place = place.flatMap { try? $0.subdirectory(name) } }
      if let place, (try? place.status(last))?.flatMap({ $0.isRegular }) == true {
        return Asset(name: last, path: place.path(of: last))
      }
    }
    return nil
  }

  private static func precedes(_ one: String, _ other: String) -> Bool {
    one.utf8.lexicographicallyPrecedes(other.utf8)
  }

  private func assets() -> [Asset] {
    if let known = found.withLock({ $0 }) { return known }
    var all: [Asset] = []
    if let directory = try? Directory(path: folder) { Self.add(directory, 0, to: &all) }
    all.sort { Self.precedes($0.name, $1.name) }
    found.withLock { [all] in $0 = all }
    return all
  }

  private static func add(_ folder: Directory, _ depth: Int, to all: inout [Asset]) {
    guard depth < depthLimit, let names = try? folder.listing().names else { return }
    for name in names where !name.hasPrefix(".") {
      guard let status = try? folder.status(name) else { continue }
      if status.isRegular { all.append(Asset(name: name, path: folder.path(of: name))) }
      if status.isDirectory, !name.hasSuffix(".keepsake"),
        let below = try? folder.subdirectory(name)
      {
        add(below, depth + 1, to: &all)
      }
    }
  }
}
