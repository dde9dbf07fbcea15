import KeepsakeFiles
import Keepsake

/// Copies the folder that a program keeps beside a session, with the files of its sub-agents and its long outputs.
enum SideFolder {
  /// Copies a folder with everything in it, byte for byte, except for links.
  static func copy(_ source: Directory, as name: String, in place: Directory) throws {
    try place.makeFolder(name)
    let copy = try place.subdirectory(name)
    for name in try source.listing().names {
      guard let status = try source.status(name) else { continue }
      if status.isDirectory {
        try self.copy(source.subdirectory(name), as: name, in: copy)
      } else if status.isRegular {
        try copyFile(source.path(of: name), as: name, in: copy)
      }
    }
    try copy.sync()
  }

  private static func copyFile(_ path: String, as name: String, in place: Directory) throws {
    let file = try OutsideFile.open(path)
    let copy = try NewFile(name, in: place, mode: 0o600)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      try Task.checkCancellation()
      let count = try file.read(into: &bytes)
      if count == 0 { break }
      try copy.write(Array(bytes[..<count]))
    }
    try copy.finish()
  }
}
