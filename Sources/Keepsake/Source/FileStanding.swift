package import KeepsakeFiles

/// How a file stands on the disk, without most of its bytes: where, how large, since when, and how it ends.
package struct FileStanding: Sendable, Equatable {
  /// The SHA-256 of its absolute path.
  let place: SHA256Digest
  package let size: Int64
  let modified: Int64
  let changed: Int64
  let inode: Int64
  /// The SHA-256 of its last bytes.
  let tail: SHA256Digest
  /// Whether its times tell whether it changes.
  private(set) var isSettled = true
  /// Whether all of it is taken in, so that it is known as long as it stands so.
  package var isRemembered = true

  private static let tailSize: Int64 = 4096

  /// - Parameters:
  ///   - file: The file.
  ///   - path: Its path.
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

  /// Of a stream that a program hands over, which lies nowhere: it is remembered for where its reading goes on.
  package init(_ stream: StreamKey, size: Int64) {
    place = stream.place
    self.size = size
    modified = 0
    changed = 0
    inode = 0
    tail = SHA256.digest(of: [])
    isRemembered = false
  }

  /// Notes whether the file was left alone for so long that its times tell whether it changes. A disk may count time in
  /// steps of two seconds, and a file may change twice in one.
  /// - Parameter now: In microseconds since 1970.
  mutating func settle(at now: Int64) {
    let limit = now * 1000 - 2_000_000_000
    isSettled = isRemembered && modified < limit && changed < limit
  }
}
