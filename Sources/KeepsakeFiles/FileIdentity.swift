#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import CKeepsakeCrypto
  import Glibc
#elseif canImport(Musl)
  import CKeepsakeCrypto
  import Musl
#endif

/// Which file something is, under whatever name, and nothing else about it.
///
/// On Linux a file's times become finer once anybody has asked for them: the next write then stores its time in the
/// file system's journal, which `fdatasync` has to wait for (measured on ext4: an append of a row took 1.4 times as
/// long). So whoever looks before each write whether a file is still the same one asks for this, not for its
/// ``FileStatus``.
public struct FileIdentity: Sendable, Hashable {
  fileprivate var device: UInt64 = 0
  fileprivate var inode: UInt64 = 0
}

extension Directory {
  /// Which file has that name, itself and not what a link points at; nil if none has.
  public func identity(of name: String) throws(FileError) -> FileIdentity? {
    #if !canImport(Darwin)
      try check(name)
      var file = FileIdentity()
      let code = unsafe name.withCString {
        unsafe keepsake_file_identity(raw, $0, &file.device, &file.inode)
      }
      if code == 0 { return file }
      if errno == ENOENT { return nil }
    #endif
    // Kernels before 4.11 lack `statx`, containers may forbid it, and macOS has none: the whole status serves there.
    return try status(name).map { FileIdentity(device: $0.device, inode: $0.inode) }
  }
}
