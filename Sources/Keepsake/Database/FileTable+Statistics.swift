import KeepsakeSQLite

// Counts of what the store holds.
extension FileTable {
  /// Counts the artifacts, and sums up their bytes.
  func artifacts() throws -> (count: Int, bytes: Int64) {
    try pair("SELECT count(*), coalesce(sum(size), 0) FROM artifact")
  }

  /// Counts the attachments that readers see, and sums up the bytes of the artifact of each.
  func attachments() throws -> (count: Int, bytes: Int64) {
    try pair(
      """
      SELECT count(*), coalesce(sum(f.size), 0) FROM attachment AS a
      LEFT JOIN artifact AS f ON f.number = a.artifact WHERE a.direction <> 2
      """)
  }

  /// Counts the artifacts that readers see attached somewhere, and sums up their bytes.
  func attachedArtifacts() throws -> (count: Int, bytes: Int64) {
    try pair(
      """
      SELECT count(*), coalesce(sum(size), 0) FROM artifact WHERE number IN
        (SELECT artifact FROM attachment WHERE direction <> 2)
      """)
  }

  /// Counts the sessions that are shown.
  func sessions() throws -> Int {
    Int(try db.integer("SELECT count(*) FROM session WHERE state = 0") ?? 0)
  }

  /// Counts the entries of all sessions.
  func entries() throws -> Int { Int(try db.integer("SELECT count(*) FROM entry") ?? 0) }

  /// Counts the artifacts and their bytes by type, the largest first.
  func artifactsByType() throws -> [StoreStatistics.Share] {
    try shares(
      """
      SELECT coalesce(type, 'application/octet-stream'), count(*), sum(size) FROM artifact
      GROUP BY 1 ORDER BY 3 DESC, 1
      """)
  }

  /// Counts the artifacts and their bytes by the tool that made them, the largest first.
  func artifactsByTool() throws -> [StoreStatistics.Share] {
    try shares(
      """
      SELECT tool, count(*), sum(size) FROM (
        SELECT DISTINCT a.tool, f.number, f.size FROM attachment AS a
        JOIN artifact AS f ON f.number = a.artifact WHERE a.tool IS NOT NULL)
      GROUP BY 1 ORDER BY 3 DESC, 1
      """)
  }

  private func pair(_ sql: StaticString) throws -> (count: Int, bytes: Int64) {
    let find = try db.prepare(sql)
    return try find.step() ? (find.int(), find.int64(in: .total)) : (0, 0)
  }

  private func shares(_ sql: StaticString) throws -> [StoreStatistics.Share] {
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
