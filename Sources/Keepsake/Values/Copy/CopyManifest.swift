#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The content of a copy, which is given before the first record.
package struct CopyManifest: Sendable {
  /// A session of the copy, with the state of its chain.
  package struct Head: Sendable, Hashable {
    package let session: UUID
    package let changes: Int
    /// The digest of the chain's newest change, in 32 bytes.
    package let head: [UInt8]
    /// Tells whether the session is in the copy only for its forks.
    package let isPurged: Bool
  }

  /// The sessions in the order of the records, with the parent of a fork before the fork.
  package var sessions: [Head] = []
  /// The number of attachments in all sessions; their places in the order of recording are 1 to this number.
  package var recordings: Int64 = 0
  /// The sizes of the artifacts that records name.
  package var artifacts: [Artifact.ID: Int64] = [:]

  package init() {}

  /// A number of recordings that no store ever reaches.
  package static let recordingLimit: Int64 = 1 << 40

  /// The range of sizes that an artifact can have.
  package static let sizes: ClosedRange<Int64> = .size
}

extension CopyManifest.Head {
  /// Reads the head from a session's record; nil for other or incomplete records.
  package init?(_ record: CopyRecord) {
    guard record.kind == .session, let session = record.bytes("id").flatMap(UUID.init(bytes:)),
      let changes = record.int("chain.changes"), let head = record.bytes("chain.head")
    else { return nil }
    self.init(
      session: session, changes: changes, head: head, isPurged: record.integer("state") == 2)
  }

  package init(session: UUID, changes: Int, head: [UInt8], purged: Bool) {
    self.init(session: session, changes: changes, head: head, isPurged: purged)
  }
}
