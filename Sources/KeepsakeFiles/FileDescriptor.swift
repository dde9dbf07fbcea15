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

/// An open file, closed when its owner lets go of it.
///
/// Programs that this one starts don't inherit it. Every call blocks until the system is done.
public struct FileDescriptor: ~Copyable, Sendable {
  let raw: Int32
  /// The path that it was opened by, for messages.
  public let path: String
  /// How many guards there had been when its file was found to have none; nil for a file that can't have one.
  var lookedAt: UInt64?

  /// Takes over a descriptor.
  /// - Parameters:
  ///   - raw: The descriptor.
  ///   - path: The path that it was opened by.
  ///   - lookedAt: How many guards there had been when its file was found to have none; 0 where nobody has looked, and nil
  ///     for a file that can't have one.
  init(raw: Int32, path: String, lookedAt: UInt64? = nil) {
    self.raw = raw
    self.path = path
    self.lookedAt = lookedAt
  }

  /// Opens a path, whatever it leads to, a device or a pipe too, and waits for a pipe's other end.
  init(
    openingAnything path: String, for access: FileAccess = .reading, mode: UInt16 = 0o600
  ) throws(FileError) {
    try checkPath(path)
    let raw = uninterrupted { unsafe open(path, access.flags | O_CLOEXEC | O_NOCTTY, mode_t(mode)) }
    guard raw >= 0 else { throw FileError(errno: errno, "Can't open '\(path)'", path: path) }
    self.init(raw: raw, path: path)
  }

  deinit {
    // Never again after EINTR: the number may by then be somebody else's file.
    guard let lookedAt else {
      close(raw)
      return
    }
    GuardedFiles.close(raw, lookedAt: lookedAt)
  }
}

extension FileDescriptor {
  /// Reads from the present position until the buffer is full or the file ends; returns how many.
  public borrowing func read(into buffer: inout [UInt8]) throws(FileError) -> Int {
    try unsafe buffer.withUnsafeMutableBufferPointer { part throws(FileError) in
      try unsafe readFully(UnsafeMutableRawBufferPointer(part), at: nil)
    }
  }

  /// Reads from an offset until the buffer is full or the file ends; returns how many.
  public borrowing func read(
    into buffer: inout [UInt8], at offset: Int64
  ) throws(FileError) -> Int {
    try unsafe buffer.withUnsafeMutableBufferPointer { part throws(FileError) in
      try unsafe readFully(UnsafeMutableRawBufferPointer(part), at: offset)
    }
  }

  /// Reads all that follows the present position; throws if that is more than the limit.
  public borrowing func readAll(limit: Int) throws(FileError) -> [UInt8] {
    var result: [UInt8] = []
    // One byte more than expected shows the end of the file without a second buffer.
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

  /// Reads until the memory is full or the file ends; returns how many bytes.
  borrowing func readFully(
    _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64?
  ) throws(FileError) -> Int {
    var done = 0
    while done < buffer.count {
      let start = unsafe buffer.baseAddress?.advanced(by: done)
      let count = min(buffer.count - done, 1 << 30)
      let result = uninterrupted {
        if let offset {
          unsafe pread(raw, start, count, off_t(offset) + off_t(done))
        } else {
          unsafe Self.systemRead(raw, start, count)
        }
      }
      guard result >= 0 else { throw failure("read") }
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
  /// Writes all bytes at the present position.
  public borrowing func write(all bytes: RawSpan) throws(FileError) {
    try unsafe bytes.withUnsafeBytes { buffer throws(FileError) in
      try unsafe writeFully(buffer, at: nil)
    }
  }

  /// Writes all bytes at the present position.
  public borrowing func write(all bytes: [UInt8]) throws(FileError) {
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      try unsafe writeFully(UnsafeRawBufferPointer(buffer), at: nil)
    }
  }

  /// Writes all bytes at an offset.
  public borrowing func write(all bytes: [UInt8], at offset: Int64) throws(FileError) {
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      try unsafe writeFully(UnsafeRawBufferPointer(buffer), at: offset)
    }
  }

  borrowing func writeFully(
    _ buffer: UnsafeRawBufferPointer, at offset: Int64?
  ) throws(FileError) {
    var done = 0
    while done < buffer.count {
      let start = unsafe buffer.baseAddress?.advanced(by: done)
      let count = min(buffer.count - done, 1 << 30)
      let result = uninterrupted {
        if let offset {
          unsafe pwrite(raw, start, count, off_t(offset) + off_t(done))
        } else {
          unsafe Self.systemWrite(raw, start, count)
        }
      }
      guard result >= 0 else { throw failure("write to") }
      // A device that takes nothing and reports nothing would keep us here for ever.
      guard result > 0 else { throw FileError(errno: EIO, "Can't write to '\(path)'", path: path) }
      done += result
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
  /// What the system knows about the file now.
  public borrowing func status() throws(FileError) -> FileStatus {
    var result = stat()
    guard unsafe fstat(raw, &result) == 0 else { throw failure("look at") }
    return FileStatus(result)
  }

  /// How many bytes the file has now.
  public var size: Int64 {
    borrowing get throws(FileError) { try status().size }
  }

  /// Sets the permission bits, whatever the mask of the process.
  public borrowing func setMode(_ mode: UInt16) throws(FileError) {
    guard uninterrupted({ fchmod(raw, mode_t(mode)) }) == 0 else {
      throw failure("set the permissions of")
    }
  }

  /// Cuts the file off, or lengthens it with zeros.
  public borrowing func setSize(_ size: Int64) throws(FileError) {
    guard uninterrupted({ ftruncate(raw, off_t(size)) }) == 0 else {
      throw failure("set the size of")
    }
  }

  /// Waits until the bytes are on the disk.
  ///
  /// After a failure the system may have dropped them and would report success the next time:
  /// throw the file away and write it again.
  public borrowing func sync() throws(FileError) {
    #if canImport(Darwin)
      // fsync leaves the bytes in the drive's cache here.
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
  /// It is a hint and makes nothing durable. It does nothing where the system has no such call.
  public borrowing func startWriteBack(of range: Range<Int64>) {
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
  /// The number of the descriptor, for a library in C that reads the file by itself. Whoever uses it keeps the file open meanwhile.
  package var number: Int32 { borrowing get { raw } }
}
