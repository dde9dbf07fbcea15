import Foundation
import KeepsakeFiles
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// A store that tells its changes, and one that takes them over.
struct CommitPair {
  let first: Store
  let second: Store

  /// Hands over all that changed, as bytes, and compares the two stores.
  func handOver(_ step: String) async throws {
    let changed: Set<UUID>
    do { changed = try await handOver() } catch {
      Issue.record("\(error), after: \(step)")
      throw error
    }
    let difference = try await difference(in: changed)
    try #require(difference == nil, "after: \(step)")
  }

  /// Hands over all that changed, as bytes, and returns the sessions of which something did.
  @discardableResult
  func handOver() async throws -> Set<UUID> {
    let bytes = StoredBytes(store: first)
    var changed: Set<UUID> = []
    for commit in try await first.takeCommits() {
      changed.insert(commit.session)
      let encoded = try commit.encoded()
      try await second.apply(SessionCommit(decoding: encoded), artifacts: bytes)
    }
    return changed
  }

  /// Returns what the stores say differently; nil if they have the same sessions, and both say the same of those that are asked
  /// for.
  ///
  /// - Parameters:
  ///   - asked: The sessions; nil for all.
  ///   - isLate: Whether either store may have a deleted session as it was some time before, because what nobody sees any more
  ///     is not told, and may list more inputs of which the bytes were erased.
  func difference(
    in asked: Set<UUID>? = nil, besides left: Set<UUID> = [], isLate: Bool = false
  ) async throws -> String? {
    let ids = try Self.sessions(of: first).subtracting(left)
    let others = try Self.sessions(of: second).subtracting(left)
    guard ids == others else {
      return
        "sessions: only the first has \(ids.subtracting(others)), and only the second \(others.subtracting(ids))"
    }
    for id in ids where asked?.contains(id) ?? true {
      let ours = try await Contents(of: first.session(id), isLate: isLate)
      let theirs = try await Contents(of: second.session(id), isLate: isLate)
      guard ours.header == theirs.header else { return "\(ours.header)\n\(theirs.header)" }
      // A store forgets what was made from erased bytes, also when the bytes come again. If a commit brings both changes at
      // once, the second store still lists it.
      guard isLate || ours.artifacts.isSubset(of: theirs.artifacts), ours.needed == theirs.needed
      else {
        return "artifacts \(ours.artifacts.symmetricDifference(theirs.artifacts))"
      }
      for (ours, theirs) in zip(ours.records, theirs.records) where ours != theirs {
        return "\(ours)\n\(theirs)"
      }
      guard ours.records.count == theirs.records.count else {
        let others = Set(ours.records).symmetricDifference(theirs.records)
        return "records that only one store has: \(others.sorted().joined(separator: "\n"))"
      }
    }
    return nil
  }

  private static func sessions(of store: Store) throws -> Set<UUID> {
    try store.handle.read { db in
      let find = try db.connection.prepare("SELECT id FROM session WHERE state = 0")
      var ids: Set<UUID> = []
      while try find.step() { if let id = UUID(bytes: find.bytes()) { ids.insert(id) } }
      return ids
    }
  }

  /// Makes a pair of temporary stores, and removes them afterwards.
  static func make(
    options: Store.Options = .init(), _ body: (CommitPair) async throws -> Void
  ) async throws {
    var tracking = options
    tracking.tracksChanges = true
    try await withTemporaryStore(options: tracking) { first in
      try await withTemporaryStore(options: options) { second in
        try await body(CommitPair(first: first, second: second))
      }
    }
  }

  /// Expects that nothing is wrong in the second store, and that a search finds there what it finds in the first.
  func verify() async throws {
    let report = try await second.verify()
    #expect(report.findings.filter { $0.severity != .harmless }.isEmpty, "\(report.findings)")
    try await first.indexForSearch()
    try await second.indexForSearch()
    let indexed = try await second.verify()
    #expect(indexed.findings.filter { $0.severity != .harmless }.isEmpty, "\(indexed.findings)")
  }
}

/// A session with those that it shares entries with, as records without what counts the attachments of a whole store.
private struct Contents {
  let header: String
  let artifacts: Set<Artifact.ID>
  /// The artifacts that are attached, or stand in a foreign file.
  let needed: Set<Artifact.ID>
  let records: [String]

  init(of session: Session, isLate: Bool) async throws {
    var manifest = CopyManifest()
    var records: [String] = []
    var needed: Set<Artifact.ID> = []
    _ = try SessionCopy(of: [session]).read(
      begin: { told, _ in manifest = told },
      take: { record in
        var record = record
        if isLate, record.kind == .session, record.int("state") == SessionPresence.purged.rawValue {
          record["updated"] = .null
        }
        records.append(try Self.line(record))
        needed.formUnion(record.requiredArtifacts)
      })
    let handle = session.handle
    let number = session.number
    try handle.read { db in
      for kind in CopyRecord.Kind.onlyInCommits {
        records += try db.copies.records(kind, of: number).map(Self.line)
      }
    }
    header = "\(manifest.sessions)"
    artifacts = Set(manifest.artifacts.keys)
    self.needed = needed
    self.records = records
  }

  private static func line(_ record: CopyRecord) throws -> String {
    var writer = JSONWriter()
    try Self.withoutRecordings(record).write(to: &writer)
    return "\(record.kind.rawValue) \(String(decoding: writer.bytes, as: UTF8.self))"
  }

  private static func withoutRecordings(_ record: CopyRecord) -> CopyRecord {
    var record = record
    if record.kind == .attachment { record["recording"] = .integer(1) }
    record.children = record.children.map(withoutRecordings)
    return record
  }
}

/// Has the bytes of the artifacts of a store.
struct StoredBytes: ArtifactBytes {
  let store: Store

  func bytes(of artifact: Artifact.ID) -> ArtifactSource? {
    guard case .right? = try? store.handle.artifacts.holding(artifact.digest) else { return nil }
    let handle = store.handle
    let bytes = try? handle.read { db -> [UInt8]? in
      guard let number = try db.artifacts.number(of: artifact.digest) else { return nil }
      let artifact = try handle.artifacts.artifact(number: number, handle: handle, in: db)
      return try artifact.bytes(in: 0..<artifact.size)
    }
    return bytes.flatMap(\.self).map { .bytes($0) }
  }
}
