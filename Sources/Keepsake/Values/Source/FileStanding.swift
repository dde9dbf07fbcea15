package import KeepsakeFiles

/// The state of a file on the disk, without most of its bytes: its place, its size, its times, and its end.
package struct FileStanding: Sendable, Equatable {
  /// The SHA-256 of its absolute path.
  let place: SHA256Digest
  package let size: Int64
  let modified: Int64
  let changed: Int64
  let inode: Int64
  /// The SHA-256 of its last bytes.
  let tail: SHA256Digest
  /// Tells whether a change of the file would show in its times.
  private(set) var isSettled = true
  /// Tells whether the whole file is taken in, so that it is known as long as its state is the same.
  package var isRemembered = true

  private static let tailSize: Int64 = 4096

  /// Reads the state of a file.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - path: The path of the file.
  package init(_ file: borrowing FileDescriptor, at path: String) throws(FileError) {
    let status = try file.status()
    let start = max(0, status.size - Self.tailSize)
    var bytes = [UInt8](repeating: 0, count: Int(status.size - start))
    let count = try file.read(into: &bytes, at: start)
    place = SHA256.digest(of: Array((FileStatus.resolvedPath(path) ?? path).utf8))
    size = status.size
    modified = status.modified
    changed = status.changed
    inode = Int64(bitPattern: status.inode)
    tail = SHA256.digest(of: Array(bytes.prefix(count)))
  }

  /// Makes the state of a stream that a program hands over, by which the place is remembered where its reading goes on.
  package init(_ stream: StreamKey, size: Int64) {
    place = stream.place
    self.size = size
    modified = 0
    changed = 0
    inode = 0
    tail = SHA256.digest(of: [])
    isRemembered = false
  }

  /// Notes whether the file was left alone for so long that a change would show in its times.
  ///
  /// A disk may count time in steps of two seconds, and a file may change twice in one.
  /// - Parameter now: The present time in microseconds since 1970.
  mutating func settle(at now: Int64) {
    let limit = now * 1000 - 2_000_000_000
    isSettled = isRemembered && modified < limit && changed < limit
  }
}
