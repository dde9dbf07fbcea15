#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Directory {
  /// Gives a file another name in this folder, and refuses a name that is taken, however late it was taken.
  ///
  /// Where the file system has no hard links, the name is checked first, and another process may take it in between.
  package func rename(_ name: String, asFree newName: String) throws(FileError) {
    try check(name)
    try check(newName)
    if uninterrupted({ unsafe linkat(raw, name, raw, newName, 0) }) == 0 { return try unlink(name) }
    switch errno {
    case EEXIST: throw taken(newName)
    case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK:
      guard try !exists(newName) else { throw taken(newName) }
      try rename(name, to: self, as: newName)
    default: throw failure("create", newName)
    }
  }

  func taken(_ name: String) -> FileError {
    let path = path(of: name)
    return FileError(
      code: .exists,
      message: "Can't create '\(path)': something of that name is there already. "
        + "Choose another name, or allow it to be replaced.",
      path: path)
  }

  /// The error for something that is in the way and must not be replaced.
  func irreplaceable(_ name: String, _ kind: FileStatus.Kind) -> FileError {
    let path = path(of: name)
    let (code, what): (FileError.Code, String) =
      switch kind {
      case .link: (.link, "a symbolic link. Name what it points at")
      case .directory: (.notRegular, "a folder. Name a file")
      case .regular: (.notDirectory, "a file. Choose another name, or move it away")
      case .other: (.notRegular, "a device or a pipe. Name a file")
      }
    return FileError(code: code, message: "Can't replace '\(path)': it is \(what).", path: path)
  }
}
