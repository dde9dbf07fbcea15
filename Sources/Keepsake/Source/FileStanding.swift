package import KeepsakeFiles

/// How a file stands on the disk, without most of its bytes: where, how large, since when, and how it ends.
package struct FileStanding: Sendable, Equatable {
  /// The SHA-256 of its absolute path.
  let place: SHA256Digest
  let size: Int64
  let modified: Int64
  let changed: Int64
  let inode: Int64
  /// The SHA-256 of its last bytes.
  let tail: SHA256Digest

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

  /// Whether the file was left alone for so long that its times tell whether it changes. A disk may count time in steps of
  /// two seconds, and a file may change twice in one.
  /// - Parameter now: In microseconds since 1970.
  fileprivate func isSettled(at now: Int64) -> Bool {
    let limit = now * 1000 - 2_000_000_000
    return modified < limit && changed < limit
  }
}

extension ForeignSource {
  /// The same, to be remembered only if its times tell whether it changes.
  func settled(at now: Int64) -> ForeignSource {
    var source = self
    if source.standing?.isSettled(at: now) == false { source.standing = nil }
    return source
  }
}
