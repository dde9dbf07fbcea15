#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files that nothing in this process may open but the library that locks them, as long as this object lives.
///
/// SQLite's locks belong to the process. As soon as any part of the process closes a descriptor of such a file, under
/// whatever name it was opened, the system drops all of them, and other processes write over what this one writes. So a
/// file that somebody named is looked at before it is opened, by device and inode. The list is shared by the whole
/// process, because those locks are.
public final class GuardedFiles: Sendable {
  private struct Entry {
    let names: [String]
    let folder: Directory
  }

  private struct List {
    var entries: [UInt64: Entry] = [:]
    /// Grows with each guard.
    var newest: UInt64 = 0
    /// Descriptors of guarded files that were opened all the same. Closing them is what must not happen.
    var kept: [Int32] = []
  }

  private static let list = Locked(List())
  private let number: UInt64

  /// Guards the files that have these names in a folder, now or later.
  public init(_ names: [String], in folder: Directory) {
    number = Self.list.withLock { list in
      list.newest += 1
      list.entries[list.newest] = Entry(names: names, folder: folder)
      return list.newest
    }
  }

  deinit {
    let kept = Self.list.withLock { list in
      list.entries[number] = nil
      defer { list.kept = [] }
      return list.kept
    }
    for raw in kept { Self.close(raw, lookedAt: nil) }
  }

  /// How many guards there have been: as long as that is the same, what was looked at need not be looked at again.
  static var newest: UInt64 { list.withLock { $0.newest } }

  /// The folder of the guard that a file has; nil where it has none.
  private static func folder(guarding status: FileStatus) -> String? {
    guard status.isRegular else { return nil }
    for entry in list.withLock({ $0.entries }).values {
      for name in entry.names {
        // What can't be looked at there is not what was looked at here.
        if let there = try? entry.folder.status(name), there.isSameFile(as: status) {
          return entry.folder.path
        }
      }
    }
    return nil
  }

  /// Throws where nothing may open a file, and nothing has yet.
  static func requireFree(_ status: FileStatus, path: String) throws(FileError) {
    if let folder = folder(guarding: status) { throw refusal(path, folder) }
  }

  /// Throws where nothing may open a file that was opened; its descriptor is kept then, and the caller must forget it.
  static func requireFree(_ status: FileStatus, opened raw: Int32, path: String) throws(FileError) {
    guard let folder = folder(guarding: status) else { return }
    list.withLock { $0.kept.append(raw) }
    throw refusal(path, folder)
  }

  /// Closes a descriptor, unless its file is guarded by now: then it is kept until it is not.
  /// - Parameters:
  ///   - raw: The descriptor.
  ///   - looked: How many guards there had been when its file was found to have none; nil where that is not known.
  static func close(_ raw: Int32, lookedAt looked: UInt64?) {
    var looked = looked
    while true {
      // Under the lock: a guard is on the list before its files are locked.
      let newest: UInt64? = list.withLock { list in
        guard list.newest != looked, !list.entries.isEmpty else {
          systemClose(raw)
          return nil
        }
        return list.newest
      }
      guard let newest else { return }
      var status = stat()
      let isKnown = unsafe fstat(raw, &status) == 0
      if isKnown, folder(guarding: FileStatus(status)) != nil {
        list.withLock { $0.kept.append(raw) }
        return
      }
      looked = newest
    }
  }

  private static func refusal(_ path: String, _ folder: String) -> FileError {
    FileError(
      code: .guarded,
      message:
        "Can't open '\(path)': it is a file of the store at '\(folder)', which is open, and whose locks would be lost.",
      path: path)
  }
}

/// The system's `close`, by a name that a method of that name does not hide.
private func systemClose(_ raw: Int32) { close(raw) }
