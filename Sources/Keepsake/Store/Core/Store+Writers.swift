import KeepsakeFiles

extension Store {
  /// The users who may change a store's files, according to the permissions.
  public enum Writers: Sendable, Hashable {
    /// Only the store's owner, as in a new store.
    case owner
    /// The owner and all users of a group.
    case group
    /// Every user of the machine.
    case everyone
  }

  /// Returns the users who may change the store's files, and so bypass everything that keeps the store sound.
  ///
  /// The answer comes from the permissions of the store's folder, its database and the folder of its artifacts; no file is
  /// read. A new store belongs to its owner alone. A store with other permissions opens as well, because some disks have no
  /// permissions and report that everybody may do everything.
  /// - Returns: The users.
  /// - Throws: A ``KeepsakeError`` if the permissions can't be read.
  public func writers() throws -> Writers {
    try handle.requireOpen()
    let folder = handle.layout.folder
    do {
      let modes = try [
        folder.status().mode, folder.status(StoreLayout.database)?.mode,
        folder.status(StoreLayout.artifacts)?.mode,
      ].compactMap(\.self)
      if modes.contains(where: { $0 & 0o002 != 0 }) { return .everyone }
      return modes.contains { $0 & 0o020 != 0 } ? .group : .owner
    } catch { throw KeepsakeError.wrap(error, store: handle.layout.path) }
  }
}
