#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What processes that ended left in a folder, under the names of things that are not in their place yet.
public struct Abandoned: Sendable, Hashable {
  /// Files, and folders with all that is in them.
  public var count = 0
  /// Of the files, also of those in the folders.
  public var bytes: Int64 = 0
  /// Whether there is more: nothing is to take long that others wait for.
  public var hasMore = false

  public init() {}
}

extension Directory {
  /// How many of a folder's names are looked at: a person's folder may have any number of them.
  public static let mostNames = 10_000

  /// Counts what makers of new files and folders left here when their process ended.
  public func abandoned() throws(FileError) -> Abandoned {
    var found = Abandoned()
    for name in try hiddenNames() {
      guard let status = try whenAbandoned(name, { (_) throws(FileError) in }) else { continue }
      found.count += 1
      found.bytes += try size(of: name, status)
    }
    return found
  }

  /// Removes what makers of new files and folders left here when their process ended.
  ///
  /// Of a name as they give it, the user's own, and locked by nobody; everything else stays, whatever it is called. Links
  /// are not followed. What can't be looked at stays, too.
  /// - Parameter most: How many files and folders are removed at most, those in folders included; the next call goes on.
  @discardableResult
  public func removeAbandoned(atMost most: Int = .max) throws(FileError) -> Abandoned {
    var removed = Abandoned()
    var room = most
    for name in try hiddenNames() {
      guard room > 0 else {
        removed.hasMore = true
        break
      }
      var isGone = false
      let status = try whenAbandoned(name) { (status) throws(FileError) in
        if status.isDirectory {
          isGone = try removeTree(name, atMost: &room, &removed.bytes)
        } else {
          try unlink(name)
          removed.bytes += status.size
          room -= 1
          isGone = true
        }
      }
      if isGone { removed.count += 1 } else if status != nil { removed.hasMore = true }
    }
    return removed
  }

  private func hiddenNames() throws(FileError) -> [String] {
    try names(atMost: Self.mostNames).filter(Self.isHiddenName)
  }

  /// Runs the body while an abandoned thing is locked, so that nobody else removes it too; nil where it is none.
  private func whenAbandoned(
    _ name: String, _ body: (FileStatus) throws(FileError) -> Void
  ) throws(FileError) -> FileStatus? {
    guard let status = try status(name), status.owner == geteuid(),
      status.isRegular || status.isDirectory
    else { return nil }
    let kind = status.isDirectory ? O_DIRECTORY : 0
    let opened = uninterrupted {
      unsafe openat(raw, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | kind)
    }
    // Somebody removed or replaced it, or it may not be read: then nobody knows whether anyone has it locked.
    guard opened >= 0 else { return nil }
    defer { close(opened) }
    guard Self.lock(opened) == .ours, try leads(name, to: opened) else { return nil }
    try body(status)
    return status
  }

  private func size(of name: String, _ status: FileStatus) throws(FileError) -> Int64 {
    guard status.isDirectory else { return status.isRegular ? status.size : 0 }
    let folder = try subdirectory(name)
    var size: Int64 = 0
    for name in try folder.names() {
      if let status = try folder.status(name) { size += try folder.size(of: name, status) }
    }
    return size
  }

  /// Removes a folder with what is in it, as far as the room goes; says whether all of it is gone.
  private func removeTree(
    _ name: String, atMost room: inout Int, _ bytes: inout Int64
  ) throws(FileError) -> Bool {
    let folder = try subdirectory(name)
    for name in try folder.names() {
      guard room > 0 else { return false }
      guard let status = try folder.status(name) else { continue }
      if status.isDirectory {
        guard try folder.removeTree(name, atMost: &room, &bytes) else { return false }
      } else {
        try folder.unlink(name)
        room -= 1
        if status.isRegular { bytes += status.size }
      }
    }
    guard room > 0 else { return false }
    try removeTree(name)
    room -= 1
    return true
  }
}
