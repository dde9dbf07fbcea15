import KeepsakeSQLite

extension CheckTable {
  /// Finds the source that comes next after a number, among those that no import still writes.
  func source(after number: Int64) throws -> Int64? {
    let find = try db.prepare(
      "SELECT number FROM source WHERE number > ? AND owner IS NULL ORDER BY number LIMIT 1")
    find.bind(number)
    return try find.step() ? find.int64() : nil
  }

  /// Tells whether a source has a row.
  func hasSource(_ number: Int64) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM source WHERE number = ?")
    find.bind(number)
    return try find.step()
  }

  /// Passes the pieces of a source that have spans to a closure: the place of each, the text of its spans, and its size.
  func forEachPieceWithSpans(
    of source: Int64, _ body: (_ ordinal: Int, _ spans: [UInt8], _ size: Int64?) -> Void
  ) throws {
    let find = try db.prepare(
      """
      SELECT id, spans, coalesce(size, length(bytes)) FROM source_piece
      WHERE id BETWEEN ? AND ? AND spans IS NOT NULL ORDER BY id
      """)
    find.bind(PieceID.make(source: source, ordinal: 0))
    find.bind(PieceID.make(source: source, ordinal: PieceID.limit - 1))
    while try find.step() {
      body(PieceID.ordinal(find.int64()), find.bytes(), find.optionalInt64())
    }
  }

  /// Lists the artifacts of a source, with the number of its pieces that have each.
  func listedArtifacts(of source: Int64) throws -> [Int64: Int64] {
    let find = try db.prepare("SELECT artifact, pieces FROM source_artifact WHERE source = ?")
    find.bind(source)
    var pieces: [Int64: Int64] = [:]
    while try find.step() {
      let artifact = find.int64()
      pieces[artifact] = find.int64()
    }
    return pieces
  }

  /// Tells whether an artifact has a row.
  func hasArtifact(_ number: Int64) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM artifact WHERE number = ?")
    find.bind(number)
    return try find.step()
  }
}
