#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Directory {
  /// The number of bytes that the user may still write to the disk of the folder.
  package func room() throws(FileError) -> Int64 {
    var status = statvfs()
    guard uninterrupted({ unsafe fstatvfs(raw, &status) }) == 0 else {
      throw failure("ask for the room beside", ".")
    }
    let blocks = Int64(clamping: UInt64(status.f_bavail))
    let (room, isTooLarge) = blocks.multipliedReportingOverflow(
      by: Int64(clamping: UInt64(status.f_frsize)))
    return isTooLarge ? .max : room
  }
}

extension FileDescriptor {
  /// Makes the file as long as the given number of bytes, and reserves room on the disk for all of them.
  package borrowing func allocate(_ size: Int64) throws(FileError) {
    #if canImport(Darwin)
      var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
        fst_length: off_t(size), fst_bytesalloc: 0)
      guard uninterrupted({ unsafe fcntl(raw, F_PREALLOCATE, &request) }) != -1 else {
        throw failure("keep room for")
      }
      try setSize(size)
    #else
      while true {
        let code = posix_fallocate(raw, 0, off_t(size))
        if code == 0 { return }
        guard code == EINTR else {
          throw FileError(errno: code, "Can't keep room for '\(path)'", path: path)
        }
      }
    #endif
  }
}
