#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A store's folder that is made beside its place and put there when it is whole: nobody sees a part of it.
struct NewStoreFolder {
  private let parent: Directory
  private let hidden: HiddenFolder
  private let name: String
  /// Where it is until then; in it are an empty database and the folders that every store has.
  let layout: StoreLayout

  init(path: String, options: Store.Options) throws {
    let (parentPath, name) = Self.split(path)
    self.name = name
    parent = try OutsideFile.folder(parentPath)
    try ForeignRoot.refuse(parent.status().owner, of: parentPath, making: path)
    // What an earlier one left here when its process ended may be as large as a store. Should it not go, that is no
    // reason to make none.
    _ = try? parent.removeAbandoned()
    hidden = try HiddenFolder(in: parent)
    let folder = hidden.folder
    layout = StoreLayout(path: path, folder: folder)
    do {
      #if canImport(Darwin)
        // Before anything is made in it, which takes it over.
        try options.apply(to: folder)
      #endif
      _ = try folder.subdirectory(StoreLayout.artifacts, create: true)
      _ = try folder.subdirectory(StoreLayout.incoming, create: true)
      // SQLite would make it with the umask's mode; its log and shared memory take over the mode.
      _ = try folder.openFile(StoreLayout.database, for: .creating(exclusive: true), mode: 0o600)
    } catch {
      try? remove()
      throw error
    }
  }

  /// Puts it in its place, durably; throws where something that is not an empty folder is there.
  func finish() throws {
    try layout.folder.sync()
    try parent.rename(hidden.name, to: parent, as: name)
    try parent.sync()
  }

  /// Takes it away, with all that is in it.
  func remove() throws { try parent.removeTree(hidden.name) }

  private static func split(_ path: String) -> (parent: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let parent = path[..<slash]
    return (parent.isEmpty ? "/" : String(parent), String(path[path.index(after: slash)...]))
  }
}
