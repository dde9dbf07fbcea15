#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux)
  import CKeepsakeCrypto
#endif

// MARK: - Names

extension Directory {
  private static let hiddenBeginning = ".keepsake-new-"
  private static let asideBeginning = ".keepsake-old-"

  /// A new hidden name, which nobody else uses and which shows that the file is unfinished.
  static func hiddenName() -> String { name(after: hiddenBeginning) }

  private static func name(after beginning: String) -> String {
    let halves = [UInt64.random(in: 0 ... .max), .random(in: 0 ... .max)]
    return halves.reduce(beginning) { name, half in
      let digits = String(half, radix: 16)
      return name + String(repeating: "0", count: 16 - digits.count) + digits
    }
  }

  /// Returns whether a name is exactly of the form of ``hiddenName()``, so that no other file is taken for an abandoned one.
  static func isHiddenName(_ name: String) -> Bool {
    guard name.hasPrefix(hiddenBeginning) else { return false }
    let digits = name.utf8.dropFirst(hiddenBeginning.utf8.count)
    return digits.count == 32
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

// MARK: - Locks

extension Directory {
  /// Locks the folder itself for as long as it is open; false where another process has it locked.
  ///
  /// The result is true as well where the file system can't lock folders. Then no other process can lock the folder
  /// either, so it is never taken for an abandoned one.
  func lock() -> Bool { Self.lock(raw) != .taken }

  enum Locking { case ours, taken, impossible }

  static func lock(_ raw: Int32) -> Locking {
    if uninterrupted({ flock(raw, LOCK_EX | LOCK_NB) }) == 0 { return .ours }
    return errno == EWOULDBLOCK ? .taken : .impossible
  }

  /// Locks what was just made under a hidden name; false where a process took it for abandoned before it was locked.
  func claim(_ name: String, raw: Int32) throws(FileError) -> Bool {
    if Self.lock(raw) != .taken, try leads(name, to: raw) { return true }
    // It is still empty, and the process that looked at it may not have removed it.
    _ = try? removeTree(name)
    return false
  }

  /// Returns whether a name leads to the open file.
  func leads(_ name: String, to raw: Int32) throws(FileError) -> Bool {
    var open = stat()
    guard unsafe fstat(raw, &open) == 0 else { throw failure("look at", name) }
    let ours = FileStatus(open)
    guard let there = try status(name) else { return false }
    return there.device == ours.device && there.inode == ours.inode
  }
}

// MARK: - Trading places

extension Directory {
  /// Exchanges something under a hidden name with something else.
  ///
  /// Both renames happen at once where the file system can do that. Then a process that ends in between leaves one of
  /// the two in the place.
  /// - Parameters:
  ///   - hidden: The hidden name.
  ///   - name: The name of the place.
  /// - Returns: The hidden name under which the replaced thing is now.
  func trade(_ hidden: String, for name: String) throws(FileError) -> String {
    if try exchange(hidden, name) { return hidden }
    // For a moment this is the only copy, so it gets a name that is never cleared away.
    let aside = Self.name(after: Self.asideBeginning)
    try rename(name, to: self, as: aside)
    do throws(FileError) { try rename(hidden, to: self, as: name) } catch {
      try rename(aside, to: self, as: name)
      throw error
    }
    try rename(aside, to: self, as: hidden)
    return hidden
  }

  /// Exchanges the names of two things; false where the file system can't do that.
  private func exchange(_ first: String, _ second: String) throws(FileError) -> Bool {
    try check(first)
    try check(second)
    let result = uninterrupted {
      #if canImport(Darwin)
        unsafe renameatx_np(raw, first, raw, second, UInt32(RENAME_SWAP))
      #else
        unsafe keepsake_exchange(raw, first, second)
      #endif
    }
    if result == 0 { return true }
    switch errno {
    case EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP, EPERM: return false
    default: throw failure("replace", second)
    }
  }
}
