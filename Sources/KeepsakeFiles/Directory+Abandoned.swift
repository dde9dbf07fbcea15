#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Directory {
  /// The number of names that are looked at, because a person's folder may hold any number of files.
  package static let mostNames = 10_000

  /// Counts the unfinished files and folders that were left in this folder by processes which ended.
  package func abandoned() throws(FileError) -> Abandoned {
    var found = Abandoned()
    for name in try hiddenNames() {
      guard let status = try whenAbandoned(name, { (_) throws(FileError) in }) else { continue }
      found.count += 1
      found.bytes += try size(of: name, status)
    }
    return found
  }

  /// Removes the unfinished files and folders that were left in this folder by processes which ended.
  ///
  /// Only what has a name that such files are given, belongs to the user, and is locked by no process is removed.
  /// Links are not followed, and what can't be looked at stays.
  /// - Parameter most: The number of files and folders that are removed at most, including those in folders. The next
  ///   call continues.
  @discardableResult
  package func removeAbandoned(atMost most: Int = .max) throws(FileError) -> Abandoned {
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

  /// Runs the body while an abandoned file or folder is locked against other processes; nil where it is not
  /// abandoned.
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
    // It was removed or replaced, or may not be read. Then nobody can tell whether a process has it locked.
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

  /// Removes a folder and its contents until the room is used up; says whether all of it is gone.
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
