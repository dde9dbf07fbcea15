import KeepsakeFiles

/// Keeps root, as whoever forgets where they used sudo, from making in a user's folder what that user may not open.
package enum ForeignRoot {
  /// Throws where this process is root's and a folder in which something is to be made is a user's.
  static func refuse(
    _ owner: UInt32, of folder: String, making path: String, isRoot: Bool = SystemUser.isRoot
  ) throws {
    guard isRoot, owner != 0 else { return }
    throw KeepsakeError(
      .permissionDenied,
      "Can't make the store at '\(path)' as root: the folder '\(folder)' belongs to the user with number \(owner), who could not open what root makes in it. Run this as that user, or make the store in a folder of root's.",
      object: path)
  }

  /// The same of the nearest folder on the way to a path that is there, for whoever makes the others.
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
