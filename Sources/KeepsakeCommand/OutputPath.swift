#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Where a command writes files: one file, or into a folder.
struct OutputPath {
  let path: String
  /// Whether names in it are ours to choose.
  let isFolder: Bool

  /// Takes a path as the person gave it; a folder is one that is there.
  init(_ path: String) throws {
    self.path = path
    do throws(FileError) {
      _ = try Directory(path: path)
      isFolder = true
    } catch {
      guard error.code == .notFound || error.code == .notDirectory else { throw error }
      guard !path.hasSuffix("/") else {
        throw CommandError(message: "There is no folder '\(path)'. Make it first.")
      }
      isFolder = false
    }
  }

  /// Begins the file; it is seen when all of it is there.
  func file(named name: String, replacing mayReplace: Bool) throws -> (path: String, file: NewFile)
  {
    let url = isFolder ? URL(filePath: path).appending(path: name) : URL(filePath: path)
    let folder = try OutsideFile.folder(url.deletingLastPathComponent().path)
    if let present = try folder.status(url.lastPathComponent) {
      guard mayReplace else {
        throw CommandError(
          message: "'\(url.path)' is there already. Replace it with --force, or name another file.")
      }
      // Whoever may do anything would put a file in the place of a device.
      guard present.isRegular || present.kind == .link else {
        throw CommandError(
          message: "'\(url.path)' is there, and is no file. Name another, or use '-' and a pipe.")
      }
    }
    // What an earlier command left here when it was killed. Should it not go, that is no reason to write nothing.
    _ = try? folder.removeAbandoned()
    return (url.path, try NewFile(url.lastPathComponent, in: folder, replacing: mayReplace))
  }

  /// Takes a piece of a file, unless the person has stopped the work.
  static func write(_ piece: [UInt8], to file: NewFile) throws {
    try Task.checkCancellation()
    try file.write(piece)
  }

  /// A plain name for a file, from what a person or a model called it: no folders, nothing hidden, no surprises.
  static func name(_ text: String, type: MediaType) -> String {
    var name = ""
    for scalar in text.unicodeScalars.prefix(200) {
      let isPlain =
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || "-_.+".unicodeScalars.contains(scalar)
      if isPlain { name.unicodeScalars.append(scalar) } else if name.last != "-" { name += "-" }
    }
    while let first = name.first, "-.".contains(first) { name.removeFirst() }
    while let last = name.last, "-.".contains(last) { name.removeLast() }
    while name.utf8.count > 100 { name.removeLast() }
    if name.isEmpty { name = "artifact" }
    guard let wanted = type.fileExtension else { return name }
    let known = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
    let fits =
      known.map {
        $0.lowercased() == wanted || MediaType.forFileExtension($0) == type
      } ?? false
    return fits ? name : "\(name).\(wanted)"
  }
}
