#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Directory {
  /// The names in this folder, sorted. Bytes that are not UTF-8 are replaced by U+FFFD.
  package func names() throws(FileError) -> [String] {
    try rawNames().map(text).sorted()
  }

  /// At most so many of the names in this folder, in any order. Bytes that are not UTF-8 are replaced by U+FFFD.
  package func names(atMost most: Int) throws(FileError) -> [String] {
    try rawNames(atMost: most).map(text)
  }

  /// The names in this folder that are UTF-8, sorted, and the names that are not.
  ///
  /// In the latter, invalid bytes are replaced by U+FFFD, so they serve in messages only and find no file.
  package func listing() throws(FileError) -> (names: [String], unreadable: [String]) {
    var names: [String] = []
    var unreadable: [String] = []
    for raw in try rawNames() {
      let bytes = raw.dropLast().map(UInt8.init(bitPattern:))
      if let name = String(validating: bytes, as: UTF8.self) {
        names.append(name)
      } else {
        unreadable.append(text(raw))
      }
    }
    return (names.sorted(), unreadable.sorted())
  }

  /// Removes everything in this folder, without following links. The folder itself stays.
  ///
  /// When it throws, a part of the contents may be gone.
  package func removeAll() throws(FileError) {
    for name in try rawNames() { try removeTree(name) }
  }

  /// Removes a file, a link itself, or a folder with everything in it. Links are not followed.
  package func removeTree(_ name: String) throws(FileError) {
    try check(name)
    try removeTree(name.utf8CString.map { $0 })
  }

  private func removeTree(_ name: [CChar]) throws(FileError) {
    if uninterrupted({ unsafe unlinkat(raw, name, 0) }) == 0 { return }
    // For a folder, Linux fails with EISDIR and Darwin with EPERM.
    let error = failure("remove", name)
    guard error.errno == EISDIR || error.errno == EPERM else { throw error }
    let folder = uninterrupted {
      unsafe openat(raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard folder >= 0 else { throw error }
    try Directory(adopting: folder, path: path(of: text(name))).removeAll()
    guard uninterrupted({ unsafe unlinkat(raw, name, AT_REMOVEDIR) }) == 0 else {
      throw failure("remove the folder", name)
    }
  }

  private func failure(_ action: String, _ name: [CChar]) -> FileError {
    let number = errno
    let path = path(of: text(name))
    return FileError(errno: number, "Can't \(action) '\(path)'", path: path)
  }

  private func text(_ name: [CChar]) -> String {
    String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The names as the system has them, each with its NUL. Names that other programs chose need not be UTF-8.
  private func rawNames(atMost most: Int = .max) throws(FileError) -> [[CChar]] {
    func failure() -> FileError {
      FileError(errno: errno, "Can't list the folder '\(path)'", path: path)
    }
    // The listing needs a descriptor of its own: it moves the position, and closing it closes the descriptor.
    let own = uninterrupted { unsafe openat(raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard own >= 0 else { throw failure() }
    guard let listing = unsafe fdopendir(own) else {
      let error = failure()
      close(own)
      throw error
    }
    defer { unsafe closedir(listing) }
    var result: [[CChar]] = []
    while result.count < most {
      errno = 0
      guard let entry = unsafe readdir(listing) else {
        guard errno == 0 else { throw failure() }
        return result
      }
      // The name is read up to its NUL, because the imported array is longer than the entry's memory may be.
      let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      let start = unsafe (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
      let name = unsafe Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
      if name != [46, 0], name != [46, 46, 0] { result.append(name) }
    }
    return result
  }
}
