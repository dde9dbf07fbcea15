#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import KeepsakeFiles

/// What a person or an app names to be taken in, or as the place of what is to be written: it must be outside of any store.
///
/// Every way in and out goes through here. What lies in a store's folder is the store's own. To read its database by hand
/// would be to lose SQLite's locks (``GuardedFiles``), and to write there would be to destroy it. Only its artifacts, and
/// the copies that it makes of them, may be read like any file.
package enum OutsideFile {
  /// Opens a regular file for reading; links are followed.
  package static func open(_ path: String) throws(FileError) -> FileDescriptor {
    try requireForeign(path)
    return try FileDescriptor(opening: path)
  }

  /// Opens a regular file that a stranger named, in a folder or below, reached without following any link.
  package static func open(
    _ names: String, below folder: String, maximumSize: Int64
  ) throws(FileError) -> FileDescriptor {
    try open("\(folder)/\(names)", in: AllowedRoots([folder]), maximumSize: maximumSize)
  }

  /// Opens a regular file that a stranger named, in one of the folders that were allowed.
  static func open(
    _ path: String, in roots: AllowedRoots, maximumSize: Int64
  ) throws(FileError) -> FileDescriptor {
    try roots.open(path, maximumSize: maximumSize) { folder, status throws(FileError) in
      try requireForeign(status, in: folder)
    }
  }

  /// Opens a folder in which something is to be made or replaced.
  package static func folder(_ path: String) throws(FileError) -> Directory {
    let folder = try Directory(path: path)
    if let store = store(around: folder) {
      throw FileError(
        code: .guarded,
        message:
          "Can't write to the folder '\(path)': it is inside of the store at '\(store)', which would be damaged. Name a place outside of it.",
        path: path)
    }
    return folder
  }

  /// Throws where a file in a folder is one of a store's own.
  private static func requireForeign(_ status: FileStatus, in folder: Directory) throws(FileError) {
    guard isStore(folder, above: 0) else { return }
    // By what they are, not by their names: a disk may take several spellings for one.
    for name in own {
      guard folder.status(name, above: 0)?.isSameFile(as: status) == true else { continue }
      let path = folder.path(of: name)
      throw FileError(
        code: .guarded,
        message:
          "Can't read '\(path)': it is a file of the store at '\(folder.path)', and only the store may open it.",
        path: path)
    }
  }

  private static func requireForeign(_ path: String) throws(FileError) {
    let plain = FileStatus(ofLinkAt: path)?.kind == .link ? FileStatus.resolvedPath(path) : path
    guard let plain else { return }
    let slash = plain.lastIndex(of: "/")
    let parent = slash.map { $0 == plain.startIndex ? "/" : String(plain[..<$0]) } ?? "."
    // Mostly there is no store, which costs one look.
    guard FileStatus(ofLinkAt: "\(parent)/\(StoreLayout.database)") != nil,
      let status = FileStatus(path: plain)
    else { return }
    try requireForeign(status, in: Directory(path: parent))
  }

  private static let own =
    StoreLayout.databaseFiles + [StoreLayout.lock, StoreLayout.queue, StoreLayout.sweepLock]
  private static let signs = [
    StoreLayout.artifacts, StoreLayout.incoming, StoreLayout.lock, StoreLayout.queue,
    StoreLayout.sweepLock,
  ]
  /// As many folders as a path can have.
  private static let depth = 2048

  /// Whether the folder so many levels above another is a store. A database of that name alone may be another program's.
  private static func isStore(_ folder: Directory, above levels: Int) -> Bool {
    folder.status(StoreLayout.database, above: levels) != nil
      && signs.contains { folder.status($0, above: levels) != nil }
  }

  /// The path of the store that a folder is, or is in.
  private static func store(around folder: Directory) -> String? {
    var here = folder.status(".", above: 0)
    for levels in 0..<depth {
      if isStore(folder, above: levels) {
        let up = String(repeating: "/..", count: levels)
        return FileStatus.resolvedPath(folder.path + up) ?? folder.path + up
      }
      guard let this = here, let above = folder.status(".", above: levels + 1),
        !above.isSameFile(as: this)
      else { return nil }
      here = above
    }
    return nil
  }
}
