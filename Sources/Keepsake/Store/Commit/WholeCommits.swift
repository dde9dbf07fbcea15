#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Reads whole sessions as commits, for a store that has nothing of them yet.
struct WholeCommits {
  private let db: Tables

  init(in db: Tables) { self.db = db }

  /// Returns a commit for each of some sessions, and for those with which they share entries; the parents come before their forks.
  /// - Parameters:
  ///   - sessions: The sessions.
  ///   - orPurged: Whether a session may be one that was deleted and is there for its forks alone.
  func commits(of sessions: [UUID], orPurged: Bool = false) throws -> [SessionCommit] {
    var numbers: Set<Int64> = []
    for id in sessions {
      guard let known = try db.sessions.standing(of: id.bytes),
        known.state == SessionPresence.shown.rawValue
          || orPurged && known.state == SessionPresence.purged.rawValue
      else { throw KeepsakeError.noSession(id) }
      numbers.formUnion(try db.sessions.lineage(of: known.number).pieces.map(\.session))
    }
    return try numbers.sorted().map { try commit(of: $0) }
  }

  /// Returns the commit of one session, without those that it shares entries with.
  func commit(of number: Int64) throws -> SessionCommit {
    guard let session = try db.copies.session(number), let head = CopyManifest.Head(session),
      let digest = SHA256Digest(bytes: head.head)
    else { throw KeepsakeError.lostIdentifier(ofSession: number) }
    var recordings: [Int64] = []
    var artifacts: Set<Int64> = []
    try db.copies.collect(of: number, &recordings, artifacts: &artifacts)
    var records: [CopyRecord.Kind: [CopyRecord]] = [.session: [session]]
    let reader = CopyReader(of: number, head.session, recordings: recordings.sorted(), in: db)
    try reader.read(withTurns: !head.isPurged) { record in
      for record in record.apart { records[record.kind, default: []].append(record) }
    }
    records[.recognition] = try db.copies.records(.recognition, of: number)
    if !head.isPurged {
      records[.saved] = try db.copies.records(.saved, of: number)
      records[.standing] = try db.copies.records(.standing, of: number)
    }
    return SessionCommit(
      session: head.session, base: nil, end: Chain(head: digest, count: head.changes),
      records: SessionCommit.kinds.flatMap { records[$0] ?? [] }, gone: [], erased: [])
  }
}

extension CopyRecord {
  /// An entry's record and those of its attachments, which a copy has inside of it; of any other kind the record itself.
  fileprivate var apart: [CopyRecord] {
    guard kind == .entry, !children.isEmpty else { return [self] }
    var entry = self
    entry.children = []
    return [entry] + children
  }
}
