#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A whole session as records, by what they are of.
struct SessionRecords: Sendable {
  let id: UUID
  let past: SessionPast
  let session: CopyRecord
  /// The counters of the session; nil if the session was deleted, and is there for its forks alone.
  let standing: CopyRecord?
  /// The first position that is the session's own.
  let start: Int
  /// The entries that the session shows, by their positions: its own, and those that it shares.
  let entries: [Int: CopyRecord]
  private let lists: [CopyRecord.Kind: [CopyRecord]]

  /// Finds a session among whole commits of it and of those that it shares entries with.
  init(of id: UUID, in commits: [SessionCommit]) throws {
    guard let own = commits.first(where: { $0.session == id }) else {
      throw KeepsakeError.noSession(id)
    }
    self.id = id
    past = try SessionPast(of: [own])
    lists = Dictionary(grouping: own.records, by: \.kind)
    let standing = lists[.standing]?.first
    guard let session = lists[.session]?.first, standing != nil || own.isOfPurged else {
      throw CopyFault("session \(id) is not there as a whole")
    }
    self.session = session
    self.standing = standing
    start = session.int("fork.position") ?? 0
    entries = try Self.shown(own, among: commits)
  }

  /// Tells whether the session was deleted, and is there for its forks alone.
  var isPurged: Bool { standing == nil }

  /// The session that this one was forked from; nil if it is no fork.
  var parent: UUID? { session.bytes("fork.of").flatMap(UUID.init(bytes:)) }

  /// Returns the records of a kind, in their order.
  subscript(kind: CopyRecord.Kind) -> [CopyRecord] { lists[kind] ?? [] }

  private static func shown(_ own: SessionCommit, among commits: [SessionCommit]) throws
    -> [Int: CopyRecord]
  {
    var shown: [Int: CopyRecord] = [:]
    var owner: SessionCommit? = own
    var end = Int.max
    while let commit = owner {
      for record in commit.records where record.kind == .entry {
        if let position = record.int("position"), position < end { shown[position] = record }
      }
      guard let session = commit.records.first, session.kind == .session,
        let parent = session.bytes("fork.of").flatMap(UUID.init(bytes:))
      else { break }
      end = min(end, session.int("fork.position") ?? 0)
      owner = commits.first { $0.session == parent }
      if owner == nil {
        throw CopyFault("session \(commit.session) shares entries with one that is not there")
      }
    }
    return shown
  }
}

extension CopyRecord {
  /// Tells whether the record is of an entry that has this kind.
  func isEntry(_ kind: Entry.Kind) -> Bool {
    self.kind == .entry && int("kind") == kind.code
  }

  /// Tells whether an attachment was erased.
  var isErasedAttachment: Bool { int("state") == Entry.Attachment.State.erased.code }

  /// The change that recorded an attachment, a run or an import.
  var recorded: Int { int("chain.recorded") ?? 0 }
}
