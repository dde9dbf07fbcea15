import KeepsakeFiles

extension Store {
  /// Finds entries by their words, a page at a time, newest first or best first.
  ///
  /// `blue cup` finds both words, `"blue cup"` finds them side by side, `ban*` finds words with this beginning, and `-red`
  /// excludes entries with the word. Case and accents don't matter. Every acknowledged entry can be found, indexed or not. An
  /// entry that forks share is found once, under the session that owns it, unless a fork itself is searched. What a fork
  /// attached to a shared entry is not found by its caption or file name.
  /// - Parameters:
  ///   - query: The query as a person writes it; see ``SearchQuery``.
  ///   - scope: The conditions that entries must meet.
  ///   - order: The order of the hits.
  ///   - limit: The most hits of a page, at least 1.
  ///   - cursor: The cursor at which the page before ended.
  ///   - indexing: A closure that gets the progress from 0 to 1, on any thread, if many entries have to be indexed first.
  /// - Returns: The page.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` for a text without a word to search for, or a limit below 1.
  @concurrent
  public func search(
    _ query: String, in scope: SearchScope = .init(), order: SearchOrder = .newest,
    limit: Int = 20, after cursor: SearchCursor? = nil,
    indexing: (@Sendable (Double) -> Void)? = nil
  ) async throws -> SearchPage {
    let parsed: SearchQuery
    do { parsed = try SearchQuery(query) } catch {
      throw KeepsakeError(.invalid, error.message, object: query, cause: error)
    }
    return try await search(
      parsed, in: scope, order: order, limit: limit, after: cursor, indexing: indexing)
  }

  /// Finds entries by a parsed query, a page at a time, newest first or best first.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - scope: The conditions that entries must meet.
  ///   - order: The order of the hits.
  ///   - limit: The most hits of a page, at least 1.
  ///   - cursor: The cursor at which the page before ended.
  ///   - indexing: A closure that gets the progress from 0 to 1, on any thread, if many entries have to be indexed first.
  /// - Returns: The page.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` for a limit below 1.
  @concurrent
  public func search(
    _ query: SearchQuery, in scope: SearchScope = .init(), order: SearchOrder = .newest,
    limit: Int = 20, after cursor: SearchCursor? = nil,
    indexing: (@Sendable (Double) -> Void)? = nil
  ) async throws -> SearchPage {
    guard limit > 0 else {
      throw KeepsakeError(.invalid, "Can't give a page of \(limit) hits. Ask for one at least.")
    }
    try handle.refuseIfShared("Searching")
    let mayIndex = handle.options.access != .readOnly
    let page = try handle.read { db -> SearchPage? in
      var searching = try Searching(query, in: scope, limit: limit, db: db)
      return try mayIndex && searching.isFarBehind() ? nil : searching.page(order, after: cursor)
    }
    if let page { return page }
    do {
      try await index(isPatient: false, indexing)
    } catch let error as KeepsakeError where error.code != .closed {
      // The disk may be full, or another process may be writing. Then the waiting entries are read instead.
    }
    return try handle.read { db in
      var searching = try Searching(query, in: scope, limit: limit, db: db)
      return try searching.page(order, after: cursor)
    }
  }

  /// Indexes all waiting entries, which a store otherwise does on its own while nobody writes.
  ///
  /// Call this after an import, or before closing a store that will only be read. Requests of others run in between. If the
  /// task is cancelled, entries that were indexed stay indexed.
  /// - Parameter progress: A closure that gets the progress from 0 to 1, at most ten times a second, on any thread. It should
  ///   be quick.
  /// - Throws: A ``KeepsakeError`` if the store can't be written, or a `CancellationError`.
  @concurrent
  public func indexForSearch(progress: (@Sendable (Double) -> Void)? = nil) async throws {
    try await index(isPatient: true, progress)
  }

  /// The time after which a search stops indexing while other processes keep adding entries.
  private static let patience: Duration = .milliseconds(250)

  /// Indexes the waiting entries.
  ///
  /// - Parameters:
  ///   - isPatient: Whether to wait for other processes that write. Otherwise this throws `locked` while one writes, and ends
  ///     early if the others write so much that the work would never end.
  ///   - progress: A closure that gets the progress from 0 to 1.
  private func index(isPatient: Bool, _ progress: (@Sendable (Double) -> Void)?) async throws {
    let step: @Sendable (Change) throws -> (isMore: Bool, version: Int64) = {
      (try SearchIndex.indexBatch(.large, in: $0.db), try $0.db.files.dataVersion())
    }
    var waiting: Int?
    var version: Int64?
    let start = Instant.now
    var told = start
    var isMore = true
    while isMore {
      try Task.checkCancellation()
      if let progress, waiting == nil || Instant.now - told >= .milliseconds(100) {
        told = .now
        let left = try handle.read { db in try SearchIndex.waitingEntries(in: db) }
        let all = waiting ?? left
        waiting = all
        // Others may have added more entries than there were at first.
        progress(all > 0 ? max(0, 1 - Double(left) / Double(all)) : 0)
      }
      let done = try await isPatient ? handle.write(step) : handle.writeImpatiently(step)
      isMore = done.isMore
      let othersWrite = version.map { $0 != done.version } ?? false
      version = version ?? done.version
      if !isPatient, othersWrite, Instant.now - start > Self.patience { break }
    }
    progress?(1)
  }
}
