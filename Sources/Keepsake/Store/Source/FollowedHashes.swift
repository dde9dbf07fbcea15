import KeepsakeFiles

/// The hashes of the beginnings of files that are followed while they grow, so that they are not read from their starts for
/// each line that is added.
///
/// A beginning is taken for the same while it is the same file, and its last bytes are the same, because programs that write
/// a file anew write other bytes there. A file of which nothing is known is read, and compared as a whole.
package final class FollowedHashes: Sendable {
  private struct Followed {
    let inode: Int64
    let offset: Int64
    /// The digest of the last bytes before the offset.
    let tail: SHA256Digest
    let hash: KeptHash
    var used: Int
  }

  private struct State {
    var files: [SHA256Digest: Followed] = [:]
    var uses = 0
  }

  private let state = Locked(State())

  /// The most files that are kept. Seldom are so many written at a time, and any other file is read when it goes on.
  private static let limit = 256
  private static let tailSize: Int64 = 4096

  package init() {}

  /// Returns the hash of a file's beginning; nil if it is not known.
  func hash(of standing: FileStanding, upTo offset: Int64, in growth: ForeignSource.Growth) throws
    -> KeptHash?
  {
    let known = state.withLock { state -> Followed? in
      state.uses += 1
      state.files[standing.place]?.used = state.uses
      return state.files[standing.place]
    }
    guard let known, known.inode == standing.inode, known.offset == offset, offset <= growth.size,
      try Self.tail(before: offset, in: growth) == known.tail
    else { return nil }
    return known.hash
  }

  /// Notes the hash of a file's beginning, which was just read.
  func note(
    _ hash: KeptHash, of standing: FileStanding, upTo offset: Int64, in growth: ForeignSource.Growth
  ) throws {
    let tail = try Self.tail(before: offset, in: growth)
    state.withLock { state in
      state.uses += 1
      state.files[standing.place] = Followed(
        inode: standing.inode, offset: offset, tail: tail, hash: hash, used: state.uses)
      guard state.files.count > Self.limit else { return }
      let oldest = state.files.min { $0.value.used < $1.value.used }
      if let oldest { state.files[oldest.key] = nil }
    }
  }

  /// Forgets all hashes, so that each file is compared as a whole when it goes on.
  package func forget() { state.withLock { $0 = State() } }

  private static func tail(before offset: Int64, in growth: ForeignSource.Growth) throws
    -> SHA256Digest
  {
    SHA256.digest(of: try growth.bytes(max(0, offset - tailSize)..<offset))
  }
}
