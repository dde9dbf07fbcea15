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

/// An open file, which is closed when its owner releases it.
///
/// Programs that this process starts do not inherit it. Every call blocks until the system is done.
package struct FileDescriptor: ~Copyable, Sendable {
  let raw: Int32
  /// The path by which the file was opened, for messages.
  package let path: String
  /// The number of guards at the time when the file was found to have none; nil for a file that can't have one.
  var lookedAt: UInt64?

  /// Takes over a descriptor.
  /// - Parameters:
  ///   - raw: The descriptor.
  ///   - path: The path by which the file was opened.
  ///   - lookedAt: The number of guards at the time when the file was found to have none; 0 where nobody has looked,
  ///     and nil for a file that can't have one.
  init(raw: Int32, path: String, lookedAt: UInt64? = nil) {
    self.raw = raw
    self.path = path
    self.lookedAt = lookedAt
  }

  /// Opens whatever a path leads to, even a device or a pipe, and waits for a pipe's other end.
  init(
    openingAnything path: String, for access: FileAccess = .reading, mode: UInt16 = 0o600
  ) throws(FileError) {
    try checkPath(path)
    let raw = uninterrupted { unsafe open(path, access.flags | O_CLOEXEC | O_NOCTTY, mode_t(mode)) }
    guard raw >= 0 else { throw FileError(errno: errno, "Can't open '\(path)'", path: path) }
    self.init(raw: raw, path: path)
  }

  deinit {
    // After EINTR the descriptor is not closed again, because its number may belong to another file by then.
    guard let lookedAt else {
      close(raw)
      return
    }
    GuardedFiles.close(raw, lookedAt: lookedAt)
  }
}

extension FileDescriptor {
  /// Reads from the current position until the buffer is full or the file ends; returns the number of bytes.
  package borrowing func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
    try unsafe buffer.withUnsafeMutableBufferPointer { part throws(FileError) in
      try unsafe readFully(UnsafeMutableRawBufferPointer(part), at: nil)
    }
  }

  /// Reads from an offset until the buffer is full or the file ends; returns the number of bytes.
  package borrowing func read(
    into buffer: inout [UInt8], at offset: Int64
  ) throws(FileError) -> Int {
    try unsafe buffer.withUnsafeMutableBufferPointer { part throws(FileError) in
      try unsafe readFully(UnsafeMutableRawBufferPointer(part), at: offset)
    }
  }

  /// Reads everything after the current position; throws `tooLarge` if that is more than the limit.
  package borrowing func readAll(limit: Int) throws(FileError) -> [UInt8] {
    var result: [UInt8] = []
    // Room for one more byte than expected shows the end of the file without a second read.
    var room = min(limit, max(4096, Int(clamping: try size)))
    while true {
      let done = result.count
      let piece = try readPiece(room - done + 1)
      result.append(contentsOf: piece)
      if result.count > limit { throw tooLarge(limit: Int64(limit)) }
      if result.count <= room { return result }
      room = min(limit, room * 2)
    }
  }

  private borrowing func readPiece(_ count: Int) throws(FileError) -> [UInt8] {
    var failure: FileError?
    let piece = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(FileError) {
        filled = try unsafe readFully(UnsafeMutableRawBufferPointer(buffer), at: nil)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return piece
  }

  /// Reads until the memory is full or the file ends; returns the number of bytes.
  borrowing func readFully(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64?
  ) throws(FileError) -> Int {
    try transfer(buffer.count, "read") { done, count in
      let start = unsafe buffer.baseAddress?.advanced(by: done)
      return if let offset {
        unsafe pread(raw, start, count, off_t(offset) + off_t(done))
      } else {
        unsafe Self.systemRead(raw, start, count)
      }
    }
  }

  /// Calls the system until it has transferred all bytes, or transfers no more; returns the number of bytes.
  /// - Parameters:
  ///   - total: The number of bytes.
  ///   - verb: The verb in the message of an error.
  ///   - call: Transfers up to a number of bytes, behind those that were transferred; negative for an error in `errno`.
  private borrowing func transfer(
    _ total: Int, _ verb: String, _ call: (_ done: Int, _ count: Int) -> Int
  ) throws(FileError) -> Int {
    var done = 0
    while done < total {
      let result = uninterrupted { call(done, min(total - done, 1 << 30)) }
      guard result >= 0 else { throw failure(verb) }
      if result == 0 { break }
      done += result
    }
    return done
  }

  private static func systemRead(
    _ file: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Darwin)
      unsafe Darwin.read(file, start, count)
    #elseif canImport(Glibc)
      unsafe Glibc.read(file, start, count)
    #else
      unsafe Musl.read(file, start, count)
    #endif
  }
}

extension FileDescriptor {
  /// Writes all bytes at the current position.
  package borrowing func write(all bytes: RawSpan) throws(FileError) {
    try unsafe bytes.withUnsafeBytes { buffer throws(FileError) in
      try unsafe writeFully(buffer, at: nil)
    }
  }

  /// Writes all bytes at the current position.
  package borrowing func write(all bytes: [UInt8]) throws(FileError) {
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      try unsafe writeFully(UnsafeRawBufferPointer(buffer), at: nil)
    }
  }

  /// Writes all bytes at an offset.
  package borrowing func write(all bytes: [UInt8], at offset: Int64) throws(FileError) {
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      try unsafe writeFully(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  borrowing func writeFully(
    _ buffer: UnsafeRawBufferPointer, at offset: Int64?
  ) throws(FileError) {
    let written = try transfer(buffer.count, "write to") { done, count in
      let start = unsafe buffer.baseAddress?.advanced(by: done)
      return if let offset {
        unsafe pwrite(raw, start, count, off_t(offset) + off_t(done))
      } else {
        unsafe Self.systemWrite(raw, start, count)
      }
    }
    // A device that accepts nothing, and reports no error.
    guard written == buffer.count else {
      throw FileError(errno: EIO, "Can't write to '\(path)'", path: path)
    }
  }

  private static func systemWrite(
    _ file: Int32, _ start: UnsafeRawPointer?, _ count: Int
  ) -> Int {
    #if canImport(Darwin)
      unsafe Darwin.write(file, start, count)
    #elseif canImport(Glibc)
      unsafe Glibc.write(file, start, count)
    #else
      unsafe Musl.write(file, start, count)
    #endif
  }
}

extension FileDescriptor {
  /// The status of the file at this moment.
  package borrowing func status() throws(FileError) -> FileStatus {
    var result = stat()
    guard unsafe fstat(raw, &result) == 0 else { throw failure("look at") }
    return FileStatus(result)
  }

  /// The size of the file in bytes at this moment.
  package var size: Int64 {
    borrowing get throws(FileError) { try status().size }
  }

  /// Sets the permission bits, regardless of the process's mask.
  package borrowing func setMode(_ mode: UInt16) throws(FileError) {
    guard uninterrupted({ fchmod(raw, mode_t(mode)) }) == 0 else {
      throw failure("set the permissions of")
    }
  }

  /// Shortens the file to a size, or lengthens it with zeros.
  package borrowing func setSize(_ size: Int64) throws(FileError) {
    guard uninterrupted({ ftruncate(raw, off_t(size)) }) == 0 else {
      throw failure("set the size of")
    }
  }

  /// Waits until the bytes are on the disk.
  ///
  /// After a failure the system may have dropped the bytes, and would report success the next time. So the file has
  /// to be thrown away and written again.
  package borrowing func sync() throws(FileError) {
    #if canImport(Darwin)
      // On Darwin, fsync leaves the bytes in the drive's cache.
      if uninterrupted({ fcntl(raw, F_FULLFSYNC) }) != -1 { return }
      guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(errno),
        uninterrupted({ fsync(raw) }) == 0
      else { throw failure("sync") }
    #else
      guard uninterrupted({ fdatasync(raw) }) == 0 else { throw failure("sync") }
    #endif
  }

  /// Asks the system to begin to write a range to the disk, so that a later sync waits less.
  ///
  /// This is a hint that makes nothing durable. It does nothing where the system has no such call.
  package borrowing func startWriteBack(of range: Range<Int64>) {
    #if os(Linux)
      keepsake_start_write_back(raw, range.lowerBound, range.upperBound - range.lowerBound)
    #endif
  }

  borrowing func failure(_ action: String) -> FileError {
    FileError(errno: errno, "Can't \(action) '\(path)'", path: path)
  }

  borrowing func tooLarge(limit: Int64) -> FileError {
    FileError(
      code: .tooLarge,
      message: "Can't take '\(path)': it is larger than the \(limit) bytes that are allowed. "
        + "Allow more or choose a smaller file.",
      path: path)
  }
}

extension FileDescriptor {
  /// The number of the descriptor, for a C library that reads the file itself. The caller keeps the file open
  /// meanwhile.
  package var number: Int32 { borrowing get { raw } }
}
