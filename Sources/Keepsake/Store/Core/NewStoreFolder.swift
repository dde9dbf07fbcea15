#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Makes a new store in a hidden folder beside its place, and renames it into place when it is complete.
struct NewStoreFolder {
  private let parent: Directory
  private let hidden: HiddenFolder
  private let name: String
  /// The hidden folder, with an empty database and the folders that every store has.
  let layout: StoreLayout

  init(path: String, options: Store.Options) throws {
    let (parentPath, name) = Self.split(path)
    self.name = name
    parent = try OutsideFile.folder(parentPath)
    try ForeignRoot.refuse(parent.status().owner, of: parentPath, making: path)
    // A process that ended may have left a hidden folder as large as a store. A failure to remove it does not prevent a new
    // store.
    _ = try? parent.removeAbandoned()
    hidden = try HiddenFolder(in: parent)
    let folder = hidden.folder
    layout = StoreLayout(path: path, folder: folder)
    do {
      #if canImport(Darwin)
        // The attributes come first, because everything made in the folder inherits them.
        try options.apply(to: folder)
      #endif
      _ = try folder.subdirectory(StoreLayout.artifacts, create: true)
      _ = try folder.subdirectory(StoreLayout.incoming, create: true)
      // SQLite would create the file with the umask's mode. The log and its index inherit the mode of this file.
      _ = try folder.openFile(StoreLayout.database, for: .creating(exclusive: true), mode: 0o600)
    } catch {
      try? remove()
      throw error
    }
  }

  /// Renames the folder into place and makes that durable; throws if something other than an empty folder is there.
  func finish() throws {
    try layout.folder.sync()
    try parent.rename(hidden.name, to: parent, as: name)
    try parent.sync()
  }

  /// Removes the hidden folder with everything in it.
  func remove() throws { try parent.removeTree(hidden.name) }

  private static func split(_ path: String) -> (parent: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let parent = path[..<slash]
    return (parent.isEmpty ? "/" : String(parent), String(path[path.index(after: slash)...]))
  }
}
