#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import KeepsakeFiles

/// Opens files and folders that a person or an app named, and refuses those that belong to a store.
///
/// All imports and exports open their files here. Reading a store's database by hand would drop SQLite's locks
/// (``GuardedFiles``), and writing into a store's folder would damage the store. Only artifacts, and the store's copies of
/// them, may be read like other files.
package enum OutsideFile {
  /// Opens a regular file for reading; links are followed.
  package static func open(_ path: String) throws(FileError) -> FileDescriptor {
    try requireForeign(path)
    return try FileDescriptor(opening: path)
  }

  /// Opens a regular file that a stranger named, inside a folder, without following any link.
  package static func open(
    _ names: String, below folder: String, maximumSize: Int64
  ) throws(FileError) -> FileDescriptor {
    try open("\(folder)/\(names)", in: AllowedRoots([folder]), maximumSize: maximumSize)
  }

  /// Opens a regular file that a stranger named, in one of the allowed folders.
  static func open(
    _ path: String, in roots: AllowedRoots, maximumSize: Int64
  ) throws(FileError) -> FileDescriptor {
    try roots.open(path, maximumSize: maximumSize) { folder, status throws(FileError) in
      try requireForeign(status, in: folder)
    }
  }

  /// Opens a folder in which something is to be made or replaced; throws if the folder is inside a store.
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

  /// Throws if a file in a folder belongs to a store.
  private static func requireForeign(_ status: FileStatus, in folder: Directory) throws(FileError) {
    guard isStore(folder, above: 0) else { return }
    // Files are compared by identity and not by name, because a disk may accept several spellings of a name.
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
    // Usually there is no store, and this costs one look at the disk.
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
  /// The most folders that a path can have.
  private static let depth = 2048

  /// Returns whether the folder some levels above another is a store; a database of that name alone may be another program's.
  private static func isStore(_ folder: Directory, above levels: Int) -> Bool {
    folder.status(StoreLayout.database, above: levels) != nil
      && signs.contains { folder.status($0, above: levels) != nil }
  }

  /// Returns the path of the store that contains a folder, or is it; nil if there is none.
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
