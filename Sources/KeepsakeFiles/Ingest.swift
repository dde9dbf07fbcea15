/// Copies and hashes files in one pass.
package enum Ingest {
  /// Copies a source into a new file of a folder while hashing it, and waits until the copy is on the disk.
  ///
  /// A regular file is copied from its beginning, anything else from its current position. The folder is not synced.
  /// - Parameters:
  ///   - source: The file to copy.
  ///   - directory: The folder of the new file.
  ///   - name: The name of the new file.
  ///   - limit: The largest allowed size, in bytes; nil for no limit.
  ///   - mode: The permission bits of the new file.
  /// - Returns: The digest and size, and as `head` the first 4096 bytes, or all where there are fewer.
  /// - Throws: `FileError`: `tooLarge` above the limit, and `changed` when the source changed meanwhile. The new file
  ///   is removed.
  package static func copy(
    from source: borrowing FileDescriptor, to directory: Directory, name: String,
    limit: Int64? = nil, mode: UInt16 = 0o400
  ) throws(FileError) -> (digest: SHA256Digest, size: Int64, head: [UInt8]) {
    let before = try source.status()
    if let limit, before.isRegular, before.size > limit { throw source.tooLarge(limit: limit) }
    let file = try IngestFile(
      directory: directory, name: name, expected: before.isRegular ? before.size : nil,
      limit: limit, mode: mode)
    while try file.fill(from: source, at: before.isRegular ? file.size : nil) {
      if before.isRegular, file.size > before.size { break }
    }
    // This check comes before the sync, which is slow and would be wasted on a changed source.
    try check(source, before, copied: file.size)
    return try file.finish()
  }

  /// Hashes a source without copying it.
  ///
  /// A regular file is hashed from its beginning.
  /// - Throws: `FileError`: `changed` when the source changed meanwhile.
  package static func hash(
    _ source: borrowing FileDescriptor
  ) throws(FileError) -> (digest: SHA256Digest, size: Int64) {
    let before = try source.status()
    let line = HashingLine(expected: before.isRegular ? before.size : nil)
    var size: Int64 = 0
    while true {
      let piece = line.next()
      piece.count = try unsafe source.readFully(piece.room, at: before.isRegular ? size : nil)
      size += Int64(piece.count)
      let isLast = !piece.isFull || before.isRegular && size > before.size
      line.add(piece)
      if isLast { break }
    }
    try check(source, before, copied: size)
    return (line.finish(), size)
  }

  private static func check(
    _ source: borrowing FileDescriptor, _ before: FileStatus, copied: Int64
  ) throws(FileError) {
    guard before.isRegular else { return }
    let after = try source.status()
    guard after.hasSameContents(as: before), copied == before.size else {
      throw FileError(
        code: .changed,
        message: "Can't take '\(source.path)': it changed while it was read. "
          + "Try again when nothing writes to it.",
        path: source.path)
    }
  }
}
