#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a copy holds, told before the first of its records.
package struct CopyManifest: Sendable {
  /// A session of the copy, and where its chain stands.
  package struct Head: Sendable, Hashable {
    package let session: UUID
    package let changes: Int
    /// 32 bytes.
    package let head: [UInt8]
    /// Whether it is there for its forks alone.
    package let isPurged: Bool
  }

  /// In the order of the records: what a fork shares stands before it.
  package var sessions: [Head] = []
  /// How many attachments were recorded, in all sessions together: their places in the order of recording are 1 to this.
  package var recordings: Int64 = 0
  /// The size of each artifact that a record names, by its name.
  package var artifacts: [Artifact.ID: Int64] = [:]

  package init() {}

  /// No store ever records as many.
  package static let recordingLimit: Int64 = 1 << 40

  /// The sizes that an artifact can have.
  package static let sizes: ClosedRange<Int64> = .size
}

extension CopyManifest.Head {
  /// What a session's record says of it.
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
