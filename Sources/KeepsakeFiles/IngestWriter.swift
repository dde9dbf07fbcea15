/// Writes a new file of a folder from chunks, and hashes them meanwhile.
///
/// A writer that is let go before ``finish()`` removes its file. Memory stays below 5 MiB.
public struct IngestWriter: ~Copyable, @unchecked Sendable {
  // `@unchecked`: nothing else refers to the file, and a value that can't be copied has one owner.
  private let file: IngestFile

  /// Makes the file; throws if something of that name is there.
  ///
  /// - Parameter limit: how many bytes may be written; more throws `tooLarge`.
  public init(
    directory: Directory, name: String, limit: Int64? = nil, mode: UInt16 = 0o400
  ) throws(FileError) {
    file = try IngestFile(
      directory: directory, name: name, expected: nil, limit: limit, mode: mode)
  }

  /// Appends bytes. After an error the file is lost: let go of the writer.
  public mutating func write(_ span: RawSpan) throws(FileError) {
    try unsafe span.withUnsafeBytes { buffer throws(FileError) in try unsafe file.write(buffer) }
  }

  /// Appends bytes. After an error the file is lost: let go of the writer.
  public mutating func write(_ bytes: [UInt8]) throws(FileError) {
    try unsafe bytes.withUnsafeBufferPointer { buffer throws(FileError) in
      try unsafe file.write(UnsafeRawBufferPointer(buffer))
    }
  }

  /// How many bytes were written.
  public var size: Int64 { file.size }

  /// Waits until the file is on the disk, and tells what is in it.
  ///
  /// `head` is its first 4096 bytes, or all. The folder is not synced: that is for whoever gives
  /// the file its place.
  public consuming func finish() throws(FileError) -> (
    digest: SHA256Digest, size: Int64, head: [UInt8]
  ) {
    try file.finish()
  }
}
