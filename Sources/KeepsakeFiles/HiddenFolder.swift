/// A folder that is filled under a hidden name, and is locked while its maker works on it.
///
/// It stays locked until its maker closes the folder, also after it was renamed.
package struct HiddenFolder: Sendable {
  /// The hidden name.
  package let name: String
  /// The open folder.
  package let folder: Directory

  /// Makes the folder.
  /// - Parameters:
  ///   - directory: The folder to make it in.
  ///   - mode: The permission bits of the new folder.
  /// - Throws: `FileError`, when the folder can't be made.
  package init(in directory: Directory, mode: UInt16 = 0o700) throws(FileError) {
    while true {
      let name = Directory.hiddenName()
      // The folder need not be durable before it is in its place.
      try directory.makeFolder(name, mode: mode)
      let folder: Directory
      do throws(FileError) { folder = try directory.subdirectory(name) } catch {
        // Another process took the folder for an abandoned one before it was locked here.
        guard error.code == .notFound else { throw error }
        continue
      }
      if try directory.claim(name, raw: folder.raw) {
        self.name = name
        self.folder = folder
        return
      }
    }
  }
}
