import KeepsakeFiles
import KeepsakeSQLite

extension Store {
  /// Finds entries by their words, a page at a time, newest first or best first.
  ///
  /// `blue cup` finds both words, `"blue cup"` finds them side by side, `ban*` words that begin so, and `-red` leaves
  /// out what has that; case and accents don't matter. Everything that was acknowledged is found, indexed or not; an
  /// entry that forks share is found once, under the session that owns it, unless a fork itself is searched. What a
  /// fork attached to an entry that it shares is not found by its caption or file name.
  ///
  /// `scope` says where to search, `limit` how many hits a page has, `cursor` where the page before ended. Where much has
  /// to be indexed first, `indexing` is told how far that is, from 0 to 1, on any thread.
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

  /// Finds entries by a query that was read before.
  @concurrent
  public func search(
    _ query: SearchQuery, in scope: SearchScope = .init(), order: SearchOrder = .newest,
    limit: Int = 20, after cursor: SearchCursor? = nil,
    indexing: (@Sendable (Double) -> Void)? = nil
  ) async throws -> SearchPage {
    guard limit > 0 else {
      throw KeepsakeError(.invalid, "Can't give a page of \(limit) hits. Ask for one at least.")
    }
    let mayIndex = core.options.access != .readOnly
    let page = try core.read { db -> SearchPage? in
      var searching = try Searching(query, in: scope, limit: limit, db: db)
      return try mayIndex && searching.isFarBehind() ? nil : searching.page(order, after: cursor)
    }
    if let page { return page }
    do {
      try await index(isPatient: false, indexing)
    } catch let error as KeepsakeError where error.code != .closed {
      // The disk may be full, or another process be writing: then what waits is read instead.
    }
    return try core.read { db in
      var searching = try Searching(query, in: scope, limit: limit, db: db)
      return try searching.page(order, after: cursor)
    }
  }

  /// Indexes all that waits for it, which the store otherwise does by itself when nobody writes.
  ///
  /// For imports, and before a store is closed that will only be read. Others' writes go in between, and what is indexed
  /// stays so when it is cancelled.
  /// - Parameter progress: Is told how far it is, from 0 to 1, ten times a second at most; on any thread, and it should be
  ///   quick.
  @concurrent
  public func indexForSearch(progress: (@Sendable (Double) -> Void)? = nil) async throws {
    try await index(isPatient: true, progress)
  }

  /// How long a search indexes what others go on adding to.
  private static let patience: Duration = .milliseconds(250)

  /// - Parameter isPatient: Whether it waits for other processes that write. Else it throws `locked`, and ends before all
  ///   is indexed where they write so much that it would run after them.
  private func index(isPatient: Bool, _ progress: (@Sendable (Double) -> Void)?) async throws {
    let step: @Sendable (Change) throws -> (isMore: Bool, version: Int64) = {
      (try SearchIndex.indexBatch(.large, in: $0.db), try $0.db.dataVersion())
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
        let left = try core.read { db in try SearchIndex.waitingEntries(in: db) }
        let all = waiting ?? left
        waiting = all
        // Others may have added more than there was.
        progress(all > 0 ? max(0, 1 - Double(left) / Double(all)) : 0)
      }
      let done = try await isPatient ? core.write(step) : core.writeImpatiently(step)
      isMore = done.isMore
      let othersWrite = version.map { $0 != done.version } ?? false
      version = version ?? done.version
      if !isPatient, othersWrite, Instant.now - start > Self.patience { break }
    }
    progress?(1)
  }
}
