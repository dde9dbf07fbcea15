#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeepsakeFiles

/// A commit that a hub took for a session.
package struct HubVersion: Sendable, Equatable {
  /// The number of the version, counted from 1.
  package let version: Int64
  /// The stamp of the commit.
  package let stamp: UUID
  /// The stamp of the version before; nil for the first one.
  package let base: UUID?
  /// The commit as it was offered.
  package let bytes: [UInt8]
  private let sums: CommitSums
  /// The result of decoding the bytes of a small version; nil for a large version, whose bytes are decoded when somebody asks for the commit.
  private let decoded: Result<SessionCommit, any Error>?

  /// A version of at most this many bytes is decoded as soon as the hub has read it. Hubs read many small versions, and several at once.
  private static let small = 1 << 16

  /// The commit that the bytes say.
  var commit: SessionCommit {
    get throws { try decoded?.get() ?? SessionCommit(decoding: bytes, sums) }
  }

  /// Creates a version from what a hub keeps. Gives nil if the bytes do not have the digest that the hub keeps beside them.
  package init?(
    version: Int64, stamp: UUID, base: UUID?, bytes: [UInt8], digest: SHA256Digest
  ) {
    let sums = CommitSums(of: bytes)
    guard sums.all == digest else { return nil }
    self.version = version
    self.stamp = stamp
    self.base = base
    self.bytes = bytes
    self.sums = sums
    decoded =
      bytes.count <= Self.small ? Result { try SessionCommit(decoding: bytes, sums) } : nil
  }

  package static func == (first: HubVersion, second: HubVersion) -> Bool {
    first.version == second.version && first.stamp == second.stamp && first.base == second.base
      && first.bytes == second.bytes
  }
}
