import KeepsakeFiles

extension Store {
  /// Who may change a store's files, as far as their permissions tell.
  public enum Writers: Sendable, Hashable {
    /// Its owner alone, as it is made.
    case owner
    /// All users of a group, too.
    case group
    /// Every user of the machine.
    case everyone
  }

  /// Who may change the store, past all that keeps it sound: by the permissions of its folder, its database, and the
  /// folder of its artifacts.
  ///
  /// A store is made for its owner alone, and opens with other permissions all the same: some disks have none, and say
  /// that everybody may do everything. Reads no file.
  public func writers() throws -> Writers {
    try core.requireOpen()
    let folder = core.layout.folder
    do {
      let modes = try [
        folder.status().mode, folder.status(StoreLayout.database)?.mode,
        folder.status(StoreLayout.artifacts)?.mode,
      ].compactMap(\.self)
      if modes.contains(where: { $0 & 0o002 != 0 }) { return .everyone }
      return modes.contains { $0 & 0o020 != 0 } ? .group : .owner
    } catch { throw KeepsakeError.wrap(error, store: core.layout.path) }
  }
}
