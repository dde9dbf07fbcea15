import KeepsakeSQLite

extension Store {
  /// Finds entries by their words, a page at a time, newest first or best first.
  ///
  /// `blue cup` finds both words, `"blue cup"` finds them side by side, `ban*` words that begin so, and `-red` leaves
  /// out what has that; case and accents don't matter. Everything that was acknowledged is found, indexed or not; an
  /// entry that forks share is found once, under the session that owns it, unless a fork itself is searched. What a
  /// fork attached to an entry that it shares is not found by its caption or file name.
  ///
  /// `scope` says where to search, `limit` how many hits a page has, `cursor` where the page before ended.
  @concurrent
  public func search(
    _ query: String, in scope: SearchScope = .init(), order: SearchOrder = .newest,
    limit: Int = 20, after cursor: SearchCursor? = nil
  ) async throws -> SearchPage {
    let parsed: SearchQuery
    do { parsed = try SearchQuery(query) } catch {
      throw KeepsakeError(.invalid, error.message, object: query, cause: error)
    }
    return try await search(parsed, in: scope, order: order, limit: limit, after: cursor)
  }

  /// Finds entries by a query that was read before.
  @concurrent
  public func search(
    _ query: SearchQuery, in scope: SearchScope = .init(), order: SearchOrder = .newest,
    limit: Int = 20, after cursor: SearchCursor? = nil
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
      while try await core.writeImpatiently({ try SearchIndex.indexBatch(in: $0.db) }) {}
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
  /// For imports, and before a store is closed that will only be read. Others' writes go in between.
  @concurrent
  public func indexForSearch() async throws {
    while try await core.write({ try SearchIndex.indexBatch(in: $0.db) }) {}
  }
}
