#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Store {
  /// Creates a session, which is durable when this returns.
  ///
  /// - Parameters:
  ///   - title: The title; nil for none.
  ///   - id: The session's id; a new one by default.
  ///   - origin: The program or format that the session came from.
  ///   - foreignID: The session's id in that program.
  ///   - created: The time of the session's beginning; the present time by default.
  ///   - tags: Words by which the session can be found.
  ///   - metadata: Data that the app keeps with the session, as a JSON object.
  /// - Returns: The session.
  /// - Throws: A ``KeepsakeError`` with the code `conflict` if the id is taken, or `invalid` for an empty tag or metadata that
  ///   is no object.
  @concurrent
  public func createSession(
    title: String? = nil, id: UUID = UUID(), origin: String? = nil, foreignID: String? = nil,
    created: Date? = nil, tags: [String] = [], metadata: JSON? = nil
  ) async throws -> Session {
    for tag in tags { try tag.validateAsTag() }
    try metadata?.validateAsMetadata()
    let handle = handle
    return try await handle.makeSession(id) { change in
      let time = created?.microseconds ?? handle.now()
      let session = try Store.insertSession(
        id, title: title, origin: origin, foreignID: foreignID, created: time, handle: handle,
        in: change.db)
      for tag in tags { try session.insert(tag: tag, entry: -1, in: change.db) }
      if let metadata { try session.store(metadata: metadata, in: change.db) }
      change.publish(.created(session: id))
      return session
    }
  }

  static func insertSession(
    _ id: UUID, title: String?, origin: String?, foreignID: String?, created: Int64,
    isHidden: Bool = false, handle: StoreHandle, in db: Tables
  ) throws -> Session {
    try requireFree(id, in: db)
    let number = try db.sessions.insert(
      id, title: title, origin: origin, foreignID: foreignID, created: created,
      isHidden: isHidden, head: Chain(beginning: id.bytes, created: created).head)
    return Session(id: id, number: number, lineage: Lineage(rootOf: number), handle: handle)
  }

  /// Finds a session by its id. A shared store asks the hub for it, and for what is new in it.
  ///
  /// - Parameter id: The session's id.
  /// - Returns: The session, without its entries.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if there is no such session.
  @concurrent
  public func session(_ id: UUID) async throws -> Session {
    try await handle.refresh(id)
    let handle = handle
    return try handle.read { db in try handle.find(id, in: db) }
  }

  /// Lists the tags of sessions in alphabetical order, with the number of sessions that have each.
  ///
  /// A shared store asks the hub for the numbers, and takes over a session for each tag that it does not know yet; everything that is new if
  /// the hub keeps no lists.
  @concurrent
  public func sessionTags() async throws -> [(tag: String, sessions: Int)] {
    if let sharing = handle.store.sharing {
      if let tags = try await sharing.tags() { return tags }
      try await handle.refreshAll()
    }
    return try handle.read { try $0.sessions.tags() }
  }

  /// Finds the session whose id begins with some hexadecimal digits, as people type them.
  ///
  /// - Parameter prefix: The first digits, with or without hyphens, in any case.
  /// - Returns: The session, without its entries.
  /// - Throws: A ``KeepsakeError`` with the code `conflict` if several ids begin with the digits, `notFound` if none does, or
  ///   `invalid` for other characters.
  @concurrent
  public func session(matching prefix: String) async throws -> Session {
    let digits = prefix.lowercased().filter { $0 != "-" }
    guard !digits.isEmpty, digits.count <= 32,
      digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else {
      throw KeepsakeError(
        .invalid,
        "'\(prefix)' is not the beginning of a session's id: it takes hexadecimal digits.",
        object: prefix)
    }
    let (first, last) = (
      Store.bytes(hex: digits, padding: "0"), Store.bytes(hex: digits, padding: "f")
    )
    var atHub = 0
    if let sharing = handle.store.sharing, let from = UUID(bytes: first), let to = UUID(bytes: last)
    {
      atHub = try await sharing.takeOver(Candidates.limit, from: from, to: to)
    }
    let (found, here) = try handle.read {
      try $0.sessions.candidates(from: first, to: last, limit: Candidates.limit)
    }
    let count = max(here, atHub)
    guard let id = found.first?.id else {
      throw KeepsakeError(
        .notFound, "No session's id begins with '\(prefix)'.", object: prefix)
    }
    guard found.count == 1 else {
      let candidates = Candidates(found.map { ("\($0.id)", $0.title ?? "") }, of: count)
      throw KeepsakeError(
        .conflict,
        "More than one session's id begins with '\(prefix)': \(candidates.text). Give more of it.",
        object: prefix)
    }
    return try await session(id)
  }

  private static func bytes(hex: String, padding: Character) -> [UInt8] {
    let digits = Array(hex + String(repeating: padding, count: 32 - hex.count))
    return stride(from: 0, to: 32, by: 2).map { index in
      UInt8(String(digits[index...(index + 1)]), radix: 16) ?? 0
    }
  }

  static func number(of id: UUID, in db: Tables) throws -> Int64? {
    try db.sessions.number(of: id)
  }

  /// Throws if a session has the id, also a deleted session whose entries are still shown by forks.
  static func requireFree(_ id: UUID, in db: Tables) throws {
    guard let state = try db.sessions.state(of: id) else { return }
    throw KeepsakeError(
      .conflict,
      state != 2
        ? "There is a session \(id) in this store already. Give another id, or open it."
        : "The session \(id) was deleted, and its forks still share its entries. Give another id.",
      object: id.uuidString)
  }

  /// Lists sessions, newest first, a page at a time; the cost of a page does not depend on the number of sessions.
  ///
  /// A shared store asks the hub for the page, and takes over what is new of its sessions; everything that is new if the hub keeps no
  /// lists.
  ///
  /// A session that is created, or gets an entry, while pages are read moves before the pages that were read. No other session
  /// is repeated or skipped.
  /// - Parameters:
  ///   - filter: The conditions that sessions must meet.
  ///   - limit: The most sessions of a page, at least 1.
  ///   - cursor: The cursor at which the page before ended.
  /// - Returns: The page.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` for a limit below 1.
  @concurrent
  public func sessions(
    _ filter: Session.Filter = .init(), limit: Int = 50, after cursor: Session.Cursor? = nil
  ) async throws -> Session.Page {
    guard limit > 0 else {
      throw KeepsakeError(.invalid, "Can't give a page of \(limit) sessions. Ask for one at least.")
    }
    if let sharing = handle.store.sharing {
      if let page = try await sharing.page(filter, limit: limit, after: cursor) { return page }
      // The pages after the first one go on in the same list.
      if cursor == nil { try await handle.refreshAll() }
    }
    return try handle.read { db in
      try SessionList(filter: filter, limit: limit, cursor: cursor).page(in: db)
    }
  }
}
