#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Guards files against being opened by anything in this process but the library that locks them, while the object
/// lives.
///
/// SQLite's locks belong to the process. When any part of the process closes a descriptor of such a file, opened
/// under any name, the system drops all of these locks, and other processes overwrite what this one writes. So a file
/// that somebody named is compared by device and inode before it is opened. The list is shared by the whole process,
/// as the locks are.
package final class GuardedFiles: Sendable {
  private struct Entry {
    let names: [String]
    let folder: Directory
  }

  private struct List {
    var entries: [UInt64: Entry] = [:]
    /// The number of the newest guard, which grows with each one.
    var newest: UInt64 = 0
    /// Descriptors of guarded files that were opened nevertheless. They are kept, because closing them would drop the
    /// locks.
    var kept: [Int32] = []
  }

  private static let list = Locked(List())
  private let number: UInt64

  /// Guards the files with these names in a folder, whether they exist now or later.
  package init(_ names: [String], in folder: Directory) {
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

  /// The number of guards so far. While it stays the same, a file that was looked at need not be looked at again.
  static var newest: UInt64 { list.withLock { $0.newest } }

  /// The folder of the guard that guards a file; nil where none does.
  private static func folder(guarding status: FileStatus) -> String? {
    guard status.isRegular else { return nil }
    for entry in list.withLock({ $0.entries }).values {
      for name in entry.names {
        // A file that can't be looked at there is not the file that was looked at here.
        if let there = try? entry.folder.status(name), there.isSameFile(as: status) {
          return entry.folder.path
        }
      }
    }
    return nil
  }

  /// Throws where a file is guarded. The file is not open yet.
  static func requireFree(_ status: FileStatus, path: String) throws(FileError) {
    if let folder = folder(guarding: status) { throw refusal(path, folder) }
  }

  /// Throws where an opened file is guarded. Its descriptor is kept then, and the caller must not close it.
  static func requireFree(_ status: FileStatus, opened raw: Int32, path: String) throws(FileError) {
    guard let folder = folder(guarding: status) else { return }
    list.withLock { $0.kept.append(raw) }
    throw refusal(path, folder)
  }

  /// Closes a descriptor. If its file is guarded by now, the descriptor is kept until the guard ends.
  /// - Parameters:
  ///   - raw: The descriptor.
  ///   - looked: The number of guards at the time when the file was found to have none; nil where that is not known.
  static func close(_ raw: Int32, lookedAt looked: UInt64?) {
    var looked = looked
    while true {
      // The lock is needed because a guard enters the list before its files are locked.
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

/// Calls the system's `close`, whose name is hidden inside of a method with the same name.
private func systemClose(_ raw: Int32) { close(raw) }
