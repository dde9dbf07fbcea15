#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import CKeepsakeCrypto
  import Glibc
#elseif canImport(Musl)
  import CKeepsakeCrypto
  import Musl
#endif

/// Identifies a file under any name, and says nothing else about it.
///
/// On Linux, a file's times become finer once anybody has asked for them. The next write then stores its time in the
/// file system's journal, for which `fdatasync` has to wait: on ext4, appending a row took 1.4 times as long. So code
/// that checks before each write whether a file is still the same uses this type instead of ``FileStatus``.
package struct FileIdentity: Sendable, Hashable {
  fileprivate var device: UInt64 = 0
  fileprivate var inode: UInt64 = 0
}

extension Directory {
  /// The identity of what has a name, without following a link; nil if nothing has the name.
  package func identity(of name: String) throws(FileError) -> FileIdentity? {
    #if !canImport(Darwin)
      try check(name)
      var file = FileIdentity()
      let code = unsafe name.withCString {
        unsafe keepsake_file_identity(raw, $0, &file.device, &file.inode)
      }
      if code == 0 { return file }
      if errno == ENOENT { return nil }
    #endif
    // Kernels before 4.11 lack `statx`, containers may forbid it, and macOS has none. The full status is used there.
    return try status(name).map { FileIdentity(device: $0.device, inode: $0.inode) }
  }
}
