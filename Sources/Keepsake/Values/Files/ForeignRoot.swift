import KeepsakeFiles

/// Keeps a forgotten `sudo` from making files as root in a user's folder, which the user could not open.
package enum ForeignRoot {
  /// Throws if this process is root's, and the folder in which something is to be made belongs to a user.
  static func refuse(
    _ owner: UInt32, of folder: String, making path: String, isRoot: Bool = SystemUser.isRoot
  ) throws {
    guard isRoot, owner != 0 else { return }
    throw KeepsakeError(
      .permissionDenied,
      "Can't make the store at '\(path)' as root: the folder '\(folder)' belongs to the user with number \(owner), who could not open what root makes in it. Run this as that user, or make the store in a folder of root's.",
      object: path)
  }

  /// Throws if this process is root's, and the nearest existing folder above a path belongs to a user.
  package static func refuse(making path: String) throws {
    guard SystemUser.isRoot else { return }
    var folder = path
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      guard let status = FileStatus(path: folder.isEmpty ? "/" : folder) else { continue }
      return try refuse(status.owner, of: folder.isEmpty ? "/" : folder, making: path)
    }
  }
}
