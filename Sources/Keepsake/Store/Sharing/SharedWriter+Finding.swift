#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finding sessions at a hub that keeps lists, so that only those are taken over that are asked for. Of a hub without lists
/// everything is taken over.
extension SharedWriter {
  /// The most sessions that are asked for at once.
  private static let part = 500

  /// Reads a page of the list of sessions; nil where the hub keeps no lists.
  ///
  /// The hub finds sessions that may fit the filter, in the order of the list. This store takes over the found sessions, and reads here
  /// which of them fit.
  func page(_ filter: Session.Filter, limit: Int, after cursor: Session.Cursor?) async throws
    -> Session.Page?
  {
    if let text = filter.text { _ = try SessionList.query(text) }
    var sessions: [Session.Summary] = []
    var place = try cursor.map(place)
    while true {
      // The hub is asked for one session more than the page shows, which tells whether there is a next page.
      let wanted = min(limit - sessions.count, Self.part)
      let query = HubQuery(filter, after: place, limit: wanted + 1)
      guard let found = try await hub.find(query) else { return nil }
      let shown = found.prefix(wanted)
      try await takeOver(shown.map(\.head))
      sessions += try handle.read { db in
        try shown.compactMap {
          try SessionList(filter: filter).summary(of: $0.head.session, in: db)
        }
      }
      guard found.count > wanted, let last = shown.last else {
        return Session.Page(sessions: sessions, next: nil)
      }
      place = last.place
      if sessions.count == limit {
        return Session.Page(sessions: sessions, next: Session.Cursor(last.place))
      }
    }
  }

  /// The place at the hub of a cursor. A cursor of a list that was read here names the session by its number.
  private func place(_ cursor: Session.Cursor) throws -> HubPlace {
    if let session = cursor.session { return HubPlace(updated: cursor.updated, session: session) }
    let session = try handle.read { try $0.sessions.id(of: cursor.number) }
    guard let session else {
      throw KeepsakeError(
        .invalid, "The list can't go on at '\(cursor)'. Begin it again.", object: "\(cursor)")
    }
    return HubPlace(updated: cursor.updated, session: session)
  }

  /// Counts the sessions that have each tag, in the order of the tags' bytes; nil where the hub keeps no lists.
  ///
  /// The numbers come from the hub, which has a hash of each tag, and the texts from this store. For a hash of which no text is here, a
  /// session that has it is taken over. A tag is left out if no session that can be taken over has it.
  func tags() async throws -> [(tag: String, sessions: Int)]? {
    guard let counted = try await hub.terms(of: .sessionTag) else { return nil }
    let here = try handle.read { try $0.sessions.differentTags() }
    var texts = Dictionary(here.map { (HubTerm(.sessionTag, $0), $0) }) { first, _ in first }
    for one in counted where texts[one.term] == nil { try await learn(one, &texts) }
    return counted.compactMap { one in
      texts[one.term].map { (tag: $0, sessions: one.sessions) }
    }.sorted { $0.tag.utf8.lexicographicallyPrecedes($1.tag.utf8) }
  }

  /// Takes over sessions that have a term, one by one, until the text of the term is known.
  ///
  /// In most cases the first session tells the text. A session does not tell it if the session lost the tag meanwhile, if the session can't
  /// be taken over, or if the lists say too much.
  private func learn(_ counted: HubCounted, _ texts: inout [HubTerm: String]) async throws {
    try await learn(from: counted.head, &texts)
    var first = UUID.first
    while texts[counted.term] == nil {
      let found = try await hub.find(
        having: counted.term, from: first, to: .last, limit: Self.part)
      guard let found, let last = found.last else { return }
      for head in found where head.session != counted.head.session {
        try await learn(from: head, &texts)
        if texts[counted.term] != nil { return }
      }
      if found.count < Self.part { return }
      first = last.session
    }
  }

  /// Takes over a session, and adds its tags to the texts that are known.
  private func learn(from head: HubHead, _ texts: inout [HubTerm: String]) async throws {
    try await takeOver([head])
    let tags = try handle.read { db in
      try db.sessions.number(of: head.session).map { try db.sessions.tags(of: $0) }
    }
    for tag in tags ?? [] { texts[HubTerm(.sessionTag, tag)] = tag }
  }

  /// Takes over the first sessions whose ids lie between two; all sessions where the hub keeps no lists.
  ///
  /// - Returns: The number of sessions at the hub whose ids lie there, as far as they were counted; 0 where the hub keeps no lists.
  func takeOver(_ count: Int, from first: UUID, to last: UUID) async throws -> Int {
    let found = try await hub.find(having: nil, from: first, to: last, limit: Self.part)
    guard let found else {
      try await catchUp()
      return 0
    }
    try await takeOver(Array(found.prefix(count)))
    return found.count
  }

  /// Takes over the sessions that have a term; all sessions where the hub keeps no lists.
  func takeOver(having term: HubTerm) async throws {
    if let found = try await hub.sessions(having: term) {
      try await takeOver(found)
    } else {
      try await catchUp()
    }
  }

  /// Takes over a session, what it was forked from, and all forks of these; all sessions where the hub keeps no lists.
  func takeOverFamily(of session: UUID) async throws {
    try await catchUp(session)
    let origins = try await takeOverOrigins(of: session)
    try await takeOver(having: .fork(of: origins.last ?? session))
  }

  /// Takes over the forks of a session, and nothing of the session itself; of a hub without lists all other sessions.
  func takeOverForks(of session: UUID) async throws {
    var sync = sync()
    try await sync.takeOverForks(of: session)
  }

  /// Takes over what is new of the sessions that a session shares entries with, and returns these, the nearest first.
  @discardableResult
  func takeOverOrigins(of session: UUID) async throws -> [UUID] {
    let origins = try handle.read { try $0.sessions.origins(of: session) }
    for origin in origins { try await catchUp(origin) }
    return origins
  }

  /// Takes over those of some sessions of which the hub has another version than was seen here.
  private func takeOver(_ heads: [HubHead]) async throws {
    let new = try heads.filter { try !handle.hasTakenOver($0) }.map(\.session)
    if !new.isEmpty { try await catchUp(new) }
  }
}

extension StoreHandle {
  /// Takes over the sessions of a shared store that have a term, as far as they are new at the hub. No other store makes the term.
  func refresh(having term: @autoclosure () -> HubTerm) async throws {
    guard let sharing = store.sharing else { return }
    try await sharing.takeOver(having: term())
  }

  /// Takes over what is new at the hub of a session of a shared store, of what it was forked from, and of all forks of these.
  func refreshFamily(of session: UUID) async throws {
    try await store.sharing?.takeOverFamily(of: session)
  }
}

extension Hub {
  /// The most sessions that are asked for at once.
  private var part: Int { 500 }

  /// Returns all sessions that have a term; nil where the hub keeps no lists.
  func sessions(having term: HubTerm) async throws -> [HubHead]? {
    var all: [HubHead] = []
    var first = UUID.first
    while true {
      guard let found = try await find(having: term, from: first, to: .last, limit: part) else {
        return nil
      }
      all += found
      guard found.count == part, let next = found.last?.session else { return all }
      first = next
    }
  }
}

extension Session.Cursor {
  init(_ place: HubPlace) { self.init(updated: place.updated, session: place.session) }
}
