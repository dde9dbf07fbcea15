#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The newest versions that a hub object saw. What it saw has no gaps before it.
final class KnownVersions: Sendable {
  /// The most sessions whose newest version is remembered.
  private static let limit = 20_000

  /// A version that was seen.
  struct Version: Sendable {
    var head: HubHead
    /// The stamp that the version builds on.
    var base: UUID?
    /// The server's tag for the bytes; another version under the same number has another one.
    var etag: String?
    /// The moment at which it was seen.
    var seen: Instant
  }

  private let versions = Locked<[UUID: Version]>([:])
  /// The time for which a version that was seen need not be looked at again before another is built on it.
  private let freshness: Duration

  init(freshness: Duration) { self.freshness = freshness }

  subscript(_ session: UUID) -> Version? { versions.withLock { $0[session] } }

  /// Returns the newest version, if it was seen a moment ago.
  ///
  /// A commit that is built on it goes out without a look. It could do harm only if the bucket was set back to an older state
  /// within that moment, because then the number of the commit would be free and the one before it too.
  func fresh(_ session: UUID) -> HubHead? {
    guard let found = self[session], Instant.now < found.seen.advanced(by: freshness) else {
      return nil
    }
    return found.head
  }

  /// Remembers a session's newest version, unless a newer one is known.
  func remember(_ head: HubHead, base: UUID?, etag: String?) {
    let version = Version(head: head, base: base, etag: etag, seen: .now)
    versions.withLock { versions in
      if versions.count >= Self.limit, versions[head.session] == nil { versions.removeAll() }
      if let there = versions[head.session], there.head.version > head.version { return }
      versions[head.session] = version
    }
  }

  /// Notes that a version which is known was seen again.
  func confirm(_ head: HubHead) {
    versions.withLock { versions in
      if versions[head.session]?.head == head { versions[head.session]?.seen = .now }
    }
  }

  /// Forgets a session, so that the next look believes nothing that was seen before.
  func forget(_ session: UUID) { versions.withLock { $0[session] = nil } }
}
