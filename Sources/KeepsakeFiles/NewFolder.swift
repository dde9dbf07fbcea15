/// A folder that is filled under a hidden name and renamed when it is complete, so that nobody sees a part of it.
///
/// A folder that is not settled leaves everything as it was.
package final class NewFolder: Sendable {
  /// The folder that files are put into.
  package var folder: Directory { hidden.folder }
  private let hidden: HiddenFolder
  private let directory: Directory
  private let name: String
  private let mayReplace: Bool
  private let state = Locked(State.beside)

  /// The steps of putting the folder in its place.
  private enum State {
    case beside
    /// The folder is in its place, and what it replaced has a hidden name.
    case placed(old: Replaced?)
    case settled
  }

  /// The folder that was replaced, under its hidden name. It is locked, so that nobody takes it for an abandoned one.
  private struct Replaced: Sendable {
    let name: String
    let folder: Directory
  }

  /// Begins a folder. Unless it may replace one, a taken name is refused, now and when the folder is placed.
  /// - Parameters:
  ///   - name: The name of the folder.
  ///   - directory: The folder that it is made in.
  ///   - mayReplace: Whether an existing folder is replaced.
  ///   - mode: The permission bits, which the process's mask narrows.
  /// - Throws: `FileError`, when the name is taken, or the folder can't be made.
  package init(
    _ name: String, in directory: Directory, replacing mayReplace: Bool = false,
    mode: UInt16 = 0o777
  ) throws(FileError) {
    self.directory = directory
    self.name = name
    self.mayReplace = mayReplace
    try Self.requireFree(name, in: directory, replacing: mayReplace)
    hidden = try HiddenFolder(in: directory, mode: mode)
  }

  deinit {
    // The error that stopped the work matters more than a failure to clean up.
    switch state.withLock({ $0 }) {
    case .beside: _ = try? directory.removeTree(hidden.name)
    case .placed(let old?):
      do throws(FileError) {
        let new = try directory.trade(old.name, for: name)
        try directory.removeTree(new)
      } catch {}
    case .placed(nil): _ = try? directory.removeTree(name)
    case .settled: break
    }
  }

  /// Renames the folder into its place, durably. What it replaced is kept until `settle()` is called.
  /// - Throws: `FileError`, when the folder can't be synced or renamed.
  package func place() throws(FileError) {
    try folder.sync()
    try Self.requireFree(name, in: directory, replacing: mayReplace)
    var old: Replaced?
    if try directory.exists(name) {
      let there = try directory.subdirectory(name)
      _ = there.lock()
      old = Replaced(name: try directory.trade(hidden.name, for: name), folder: there)
    } else {
      try directory.rename(hidden.name, to: directory, as: name)
    }
    let replaced = old
    state.withLock { $0 = .placed(old: replaced) }
    try directory.sync()
  }

  /// Makes the new folder permanent, and removes what it replaced.
  /// - Throws: `FileError`, when what it replaced can't be removed.
  package func settle() throws(FileError) {
    let old = state.withLock { state in
      guard case .placed(let old) = state else { return Replaced?.none }
      state = .settled
      return old
    }
    if let old { try directory.removeTree(old.name) }
  }

  /// Throws where something has the name and may not be replaced.
  package static func requireFree(
    _ name: String, in directory: Directory, replacing mayReplace: Bool
  ) throws(FileError) {
    guard let status = try directory.status(name) else { return }
    guard mayReplace else { throw directory.taken(name) }
    if !status.isDirectory { throw directory.irreplaceable(name, status.kind) }
  }
}
