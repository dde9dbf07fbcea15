#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The place in which a command writes files: a single file, or a folder.
struct OutputPath {
  let path: String
  /// Whether the path is a folder, in which the command chooses the names.
  let isFolder: Bool

  /// Takes a path as the person gave it; it counts as a folder if that folder exists.
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

  /// Begins a file, which becomes visible when it is complete.
  func file(named name: String, replacing mayReplace: Bool) throws -> (path: String, file: NewFile)
  {
    let url = isFolder ? URL(filePath: path).appending(path: name) : URL(filePath: path)
    let folder = try OutsideFile.folder(url.deletingLastPathComponent().path)
    if let present = try folder.status(url.lastPathComponent) {
      guard mayReplace else {
        throw CommandError(
          message: "'\(url.path)' is there already. Replace it with --force, or name another file.")
      }
      // A user with all rights could otherwise replace a device with a file.
      guard present.isRegular || present.kind == .link else {
        throw CommandError(
          message: "'\(url.path)' is there, and is no file. Name another, or use '-' and a pipe.")
      }
    }
    // This removes what a killed command left here. A failure does not prevent writing.
    _ = try? folder.removeAbandoned()
    return (url.path, try NewFile(url.lastPathComponent, in: folder, replacing: mayReplace))
  }

  /// Writes a piece of a file, and throws if the person has cancelled the work.
  static func write(_ piece: [UInt8], to file: NewFile) throws {
    try Task.checkCancellation()
    try file.write(piece)
  }

  /// Returns a plain file name for a text of a person or a model, without folders, and not hidden.
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
