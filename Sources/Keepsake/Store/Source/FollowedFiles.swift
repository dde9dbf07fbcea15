import KeepsakeFiles

/// The beginnings of files that are followed while they grow, so that they are not read from their starts for each line that
/// is added.
///
/// A file whose beginning is not known is read and compared as a whole.
package final class FollowedFiles: Sendable {
  private struct Followed {
    let inode: Int64
    let beginning: ReadBeginning
    var used: Int
  }

  private struct State {
    var files: [SHA256Digest: Followed] = [:]
    var uses = 0
  }

  private let state = Locked(State())

  /// The most files whose beginnings are kept. Programs seldom write so many files at a time.
  private static let limit = 256

  package init() {}

  /// Returns the beginning of a file up to an offset; nil if the beginning is not known, or if the
  /// file does not have it any more.
  func beginning(of standing: FileStanding, upTo offset: Int64, in growth: ForeignSource.Growth)
    throws -> ReadBeginning?
  {
    let known = state.withLock { state -> Followed? in
      state.uses += 1
      state.files[standing.place]?.used = state.uses
      return state.files[standing.place]
    }
    guard let known, known.inode == standing.inode, known.beginning.size == offset,
      try known.beginning.stands(in: growth)
    else { return nil }
    return known.beginning
  }

  /// Notes the beginning of a file that was just read.
  func note(_ beginning: ReadBeginning, of standing: FileStanding) {
    state.withLock { state in
      state.uses += 1
      state.files[standing.place] = Followed(
        inode: standing.inode, beginning: beginning, used: state.uses)
      guard state.files.count > Self.limit else { return }
      let oldest = state.files.min { $0.value.used < $1.value.used }
      if let oldest { state.files[oldest.key] = nil }
    }
  }

  /// Forgets all beginnings, so that each file is compared as a whole when it goes on.
  package func forget() { state.withLock { $0 = State() } }
}
