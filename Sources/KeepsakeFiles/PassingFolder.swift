/// A temporary folder that only its user can read, and that is removed with this object.
///
/// A folder that a killed process left behind is removed when the next one is made in the same place.
package final class PassingFolder: Sendable {
  /// The open folder.
  package var folder: Directory { hidden.folder }
  private let hidden: HiddenFolder
  private let place: Directory
  private let isRemoved = Locked(false)

  /// Makes the folder.
  /// - Parameter place: The folder to make it in.
  /// - Throws: `FileError`, when the folder can't be made.
  package init(in place: Directory) throws(FileError) {
    // A folder that can't be cleared away is no reason to fail.
    _ = try? place.removeAbandoned()
    self.place = place
    hidden = try HiddenFolder(in: place)
  }

  deinit { remove() }

  /// Removes the folder with everything in it. What can't be removed now is removed with the next such folder.
  package func remove() {
    let isFirst = isRemoved.withLock { isRemoved in
      defer { isRemoved = true }
      return !isRemoved
    }
    if isFirst { _ = try? place.removeTree(hidden.name) }
  }
}
