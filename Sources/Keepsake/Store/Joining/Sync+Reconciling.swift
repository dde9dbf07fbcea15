#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A session that changed here and at the hub, or of which the hub says something else than it did.
extension Sync {
  /// Brings together what the hub has of a session and what is here.
  ///
  /// The links of the two chains are compared. What both have is the same, whichever way it came. Where only one side has more
  /// links, the other one takes them over; of titles, tags, metadata and the ends of turns the hub's are taken. Where both have
  /// links of their own, the session is left aside: nothing of either side is lost.
  mutating func reconcile(_ session: UUID, _ standing: Standing) async throws {
    var (theirs, isRewound) = try await versions(of: session, after: standing.seen)
    if let last = theirs.last, last.commit.isRemoval {
      theirs.removeLast()
      guard let number = standing.number, try isShown(number) else {
        // It was deleted here, too.
        try await handle.write { change in _ = try change.db.offers.remove(of: session) }
        removals.append(.init(session: session, version: last.number, stamp: last.stamp))
        return
      }
      throw KeepsakeError.deletedAtHub(session)
    }
    guard let number = standing.number else {
      if isRewound { try await see(theirs.first, of: session) }
      for version in theirs { try await apply(version, after: version.number - 1) }
      return
    }
    guard !theirs.isEmpty else {
      return isRewound
        ? try await offerAll(of: session) : try await offerAgain(number, session)
    }
    switch try relation(of: number, session, to: theirs) {
    case .behind: try await catchUp(number, session, with: theirs)
    case .ahead(let common): try await goOn(number, session, after: common, theirs)
    case .apart: throw KeepsakeError.apart(session)
    }
  }

  /// Reads the versions that are new here; all of them where the hub went back to a state without the one that was seen last.
  private func versions(of session: UUID, after seen: HubSessionTable.Row) async throws -> (
    [Version], isRewound: Bool
  ) {
    var all: [Version] = []
    var after = seen.version
    if after > 0 {
      let last = try await hub.versions(of: session, after: after - 1, bytes: 0)
      if last.versions.first?.stamp != seen.stamp { after = 0 }
    }
    let isRewound = after != seen.version
    while true {
      let part = try await hub.versions(of: session, after: after, bytes: .max)
      all += try part.versions.map { try Version($0, of: session) }
      after = part.versions.last?.version ?? after
      if !part.hasMore { return (all, isRewound) }
    }
  }

  private func isShown(_ number: Int64) throws -> Bool {
    try handle.read { try $0.unsent.standing(of: number)?.presence == .shown }
  }
}

// MARK: - Comparing

extension Sync {
  /// What the chain here is to the hub's.
  private enum Relation {
    /// The hub has all links that are here, and perhaps more.
    case behind
    /// All links that the hub has are here, and more. The hub's chain is given.
    case ahead(Chain)
    /// Both have links of their own.
    case apart
  }

  private func relation(of number: Int64, _ session: UUID, to theirs: [Version]) throws -> Relation
  {
    try handle.read { db in
      guard let ours = try db.unsent.standing(of: number)?.end, let last = theirs.last?.commit.end
      else { return .apart }
      if ours == last { return .behind }
      if last.count < ours.count {
        let head = try ChainHistory(of: number, in: db).head(after: last.count)
        return head == last.head ? .ahead(last) : .apart
      }
      for version in theirs {
        // The first version of a session begins with nothing, as each chain does.
        let base = try version.commit.base ?? ChainHistory(of: number, in: db).chain(after: 0)
        guard let base, let end = version.commit.end, base.count <= ours.count,
          ours.count <= end.count
        else { continue }
        let links = try CommitLinks(of: version.commit, after: base)
        if try links.fold(onto: base, of: session, upTo: ours.count) == ours { return .behind }
      }
      return .apart
    }
  }
}

// MARK: - Bringing together

extension Sync {
  /// Notes that the hub was last seen without a version, and those after it.
  private func see(_ first: Version?, of session: UUID) async throws {
    try await handle.write { change in
      try change.db.hubSessions.put(
        .init(id: session, version: (first?.number ?? 1) - 1, stamp: nil))
    }
  }

  /// Takes over what the hub has more. Titles, tags, metadata and turns that only this store changed stay, and are offered.
  private mutating func catchUp(_ number: Int64, _ session: UUID, with theirs: [Version])
    async throws
  {
    let ours = try handle.read { try $0.unsent.standing(of: number)?.end.count } ?? 0
    let missing = theirs.drop { ($0.commit.end?.count ?? 0) < ours }
    let told = Set(theirs.flatMap(\.commit.records).compactMap(\.fact))
    try await handle.write { change in
      let db = change.db
      let offered = try db.offers.remove(of: session).map {
        try SessionCommit(decoding: $0.bytes).records.compactMap(\.fact)
      }
      let listed = try db.unsent.facts(of: number)
      try db.unsent.forget(number)
      for fact in Set(listed + (offered ?? [])).subtracting(told) {
        try db.unsent.list(fact, of: number)
      }
      let before = theirs.dropLast(missing.count).last
      try db.hubSessions.put(
        .init(
          id: session, version: (missing.first?.number ?? 1) - 1,
          stamp: before?.stamp ?? (try db.hubSessions.row(session)?.stamp)))
    }
    for version in missing { try await apply(version, after: version.number - 1) }
  }

  /// Goes on from what the hub has, of which all links are here. The hub's title, tags and metadata are taken, and its turns, where
  /// this store did not change them.
  private mutating func goOn(
    _ number: Int64, _ session: UUID, after common: Chain, _ theirs: [Version]
  ) async throws {
    guard let last = theirs.last, let ours = try handle.read({ try $0.unsent.standing(of: number) })
    else { return }
    let listed = Set(try handle.read { try $0.unsent.facts(of: number) })
    var facts: [SessionCommit.Gone: CopyRecord] = [:]
    for record in theirs.flatMap(\.commit.records) {
      guard let fact = record.fact, fact.kind == .session || !listed.contains(fact) else {
        continue
      }
      facts[fact] = record
    }
    let records = SessionCommit.kinds.flatMap { kind in
      facts.filter { $0.key.kind == kind }.sorted { $0.key.first < $1.key.first }.map(\.value)
    }
    let told = SessionCommit(
      session: session, base: ours.end, end: ours.end, records: records, gone: [], erased: [])
    try await store.apply(told, artifacts: HubArtifacts(hub: hub, present: [])) { change in
      let db = change.db
      _ = try db.offers.remove(of: session)
      try db.hubSessions.put(.init(id: session, version: last.number, stamp: last.stamp))
      try db.unsent.list(number, since: common)
    }
    report.received.insert(session)
  }

  /// Makes the offer of a session anew, because its artifacts are not what they were.
  private func offerAgain(_ number: Int64, _ session: UUID) async throws {
    try await handle.write { change in
      let db = change.db
      guard let offer = try db.offers.remove(of: session) else { return }
      guard let base = try SessionCommit(decoding: offer.bytes).base else { return }
      try db.unsent.list(number, since: base)
    }
  }

  /// Offers a session as a new one, because the hub has lost it.
  private func offerAll(of session: UUID) async throws {
    try await handle.write { change in
      _ = try change.db.offers.remove(of: session)
      try change.db.hubSessions.put(.init(id: session))
    }
  }
}

extension CopyRecord {
  /// The name of the row where the record is no part of the chain, and two stores can each change it: a session's title, tags
  /// and metadata, and turns.
  fileprivate var fact: SessionCommit.Gone? {
    switch kind {
    case .session: .init(kind: .session, first: 0, second: 0)
    case .turn: .init(kind: .turn, first: integer("number") ?? 0, second: 0)
    default: nil
    }
  }
}

extension KeepsakeError {
  static func apart(_ session: UUID) -> KeepsakeError {
    KeepsakeError(
      .diverged,
      "Session \(session) went on here and elsewhere at the same time, so that it has two continuations. Both are kept, each where it was made.",
      object: session.uuidString)
  }

  static func deletedAtHub(_ session: UUID) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      "Session \(session) was deleted elsewhere, and went on here. It is kept here, and told to nobody.",
      object: session.uuidString)
  }
}
