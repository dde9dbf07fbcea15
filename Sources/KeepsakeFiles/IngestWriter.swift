/// Writes a new file of a folder from chunks, and hashes them at the same time.
///
/// A writer that is released before ``finish()`` removes its file. It needs less than 5 MiB of memory.
package struct IngestWriter: ~Copyable, @unchecked Sendable {
  // `@unchecked`: nothing else refers to the file, and a value that can't be copied has one owner.
  private let file: IngestFile

  /// Makes the file; throws if something has the name already.
  /// - Parameters:
  ///   - directory: The folder of the file.
  ///   - name: The name of the file.
  ///   - limit: The number of bytes that may be written; writing more throws `tooLarge`. nil for no limit.
  ///   - mode: The permission bits of the finished file.
  package init(
    directory: Directory, name: String, limit: Int64? = nil, mode: UInt16 = 0o400
  ) throws(FileError) {
    file = try IngestFile(
      directory: directory, name: name, expected: nil, limit: limit, mode: mode)
  }

  /// Appends bytes. After an error the file is lost, and the writer has to be released.
  package mutating func write(_ span: RawSpan) throws(FileError) {
    try unsafe span.withUnsafeBytes { buffer throws(FileError) in try unsafe file.write(buffer) }
  }

  /// Appends bytes. After an error the file is lost, and the writer has to be released.
  package mutating func write(_ bytes: [UInt8]) throws(FileError) {
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      try unsafe file.write(UnsafeRawBufferPointer(buffer))
    }
  }

  /// The number of bytes that were written.
  package var size: Int64 { file.size }

  /// Waits until the file is on the disk, and describes its content.
  ///
  /// The folder is not synced: that is left to the code that renames the file into its place.
  /// - Returns: The digest and size, and as `head` the first 4096 bytes, or all where there are fewer.
  package consuming func finish() throws(FileError) -> (
    digest: SHA256Digest, size: Int64, head: [UInt8]
  ) {
    try file.finish()
  }
}
