/// A folder for what is needed for a while; only its user may look into it, and it goes away with whoever has it.
///
/// A folder that a process left behind when it was killed is cleared away by the next that is made in the same place.
public final class PassingFolder: Sendable {
  public var folder: Directory { hidden.folder }
  private let hidden: HiddenFolder
  private let place: Directory
  private let isRemoved = Locked(false)

  public init(in place: Directory) throws(FileError) {
    // Should that not go, this one goes on.
    _ = try? place.removeAbandoned()
    self.place = place
    hidden = try HiddenFolder(in: place)
  }

  deinit { remove() }

  /// Removes it with all that is in it. What can't be removed now is cleared away by the next.
  public func remove() {
    let isFirst = isRemoved.withLock { isRemoved in
      defer { isRemoved = true }
      return !isRemoved
    }
    if isFirst { _ = try? place.removeTree(hidden.name) }
  }
}
