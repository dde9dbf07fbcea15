import KeepsakeSQLite

extension Store {
  /// Counts the content of the store by kind, and the bytes that did not have to be stored twice.
  ///
  /// The cost grows with the number of entries and attachments. No lock is taken.
  /// - Returns: The counts.
  /// - Throws: A ``KeepsakeError`` if the store can't be read.
  @concurrent
  public func statistics() async throws -> StoreStatistics {
    try core.read { db in
      let artifacts = try Self.pair("SELECT count(*), coalesce(sum(size), 0) FROM artifact", in: db)
      let attachments = try Self.pair(
        """
        SELECT count(*), coalesce(sum(f.size), 0) FROM attachment AS a
        LEFT JOIN artifact AS f ON f.number = a.artifact WHERE a.direction <> 2
        """, in: db)
      let attached = try Self.pair(
        """
        SELECT count(*), coalesce(sum(size), 0) FROM artifact WHERE number IN
          (SELECT artifact FROM attachment WHERE direction <> 2)
        """, in: db)
      return StoreStatistics(
        sessions: Int(try db.integer("SELECT count(*) FROM session WHERE state = 0") ?? 0),
        entries: Int(try db.integer("SELECT count(*) FROM entry") ?? 0),
        attachments: attachments.count, artifacts: artifacts.count,
        artifactBytes: artifacts.bytes, savedBytes: attachments.bytes - attached.bytes,
        databaseBytes: try StoreHealth.databaseBytes(in: db.connection),
        types: try Self.shares(
          """
          SELECT coalesce(type, 'application/octet-stream'), count(*), sum(size) FROM artifact
          GROUP BY 1 ORDER BY 3 DESC, 1
          """, in: db),
        tools: try Self.shares(
          """
          SELECT tool, count(*), sum(size) FROM (
            SELECT DISTINCT a.tool, f.number, f.size FROM attachment AS a
            JOIN artifact AS f ON f.number = a.artifact WHERE a.tool IS NOT NULL)
          GROUP BY 1 ORDER BY 3 DESC, 1
          """, in: db))
    }
  }

  private static func pair(_ sql: StaticString, in db: Tables) throws -> (
    count: Int, bytes: Int64
  ) {
    let find = try db.prepare(sql)
    return try find.step() ? (find.int(), find.int64(in: .total)) : (0, 0)
  }

  private static func shares(_ sql: StaticString, in db: Tables) throws
    -> [StoreStatistics.Share]
  {
    let find = try db.prepare(sql)
    var shares: [StoreStatistics.Share] = []
    while try find.step() {
      shares.append(
        .init(
          name: find.text(), artifacts: find.int(), bytes: try find.int64(in: .total)))
    }
    return shares
  }
}
