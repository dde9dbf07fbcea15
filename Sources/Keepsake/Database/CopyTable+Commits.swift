extension CopyTable {
  /// The columns of a session's table that describe it, and that don't change with each entry.
  var description: [String] {
    columns.compactMap(\.column).filter { !["updated", "changes", "head"].contains($0) }
  }
}

/// The tables of the records that only commits have.
extension CopyTable {
  static let standing = CopyTable(
    .standing, rows: "session AS x", scope: "x.number = ?1",
    columns: [
      .init("entries", .integer(.entries), required: true),
      .init("turns", .count, required: true),
      .init("attachments", .count, required: true),
      .init("labels", .count, required: true),
      .init("bytes", .integer(.total), required: true),
      .init("overlapping", .integer(0...1), required: true),
      // The session's own record says it as well, but a commit has that record only if what describes the session changed.
      .init("updated", .time),
      .init("model", .text),
      .init("preview", .text),
      .init(
        "of", .session, in: "cover",
        reading: """
          (SELECT s.id FROM attachment AS a JOIN session AS s ON s.number = a.session
           WHERE a.number = x.cover)
          """),
      .init(
        "recorded", .integer(.ordinal), in: "cover",
        reading: "(SELECT recorded FROM attachment WHERE number = x.cover)"),
    ])

  static let recognition = CopyTable(
    .recognition, rows: "import AS x JOIN source AS s ON s.number = x.source",
    scope: "x.session = ?1 ORDER BY x.number",
    columns: [
      .init("import", .integer(.ordinal), required: true, reading: "x.recorded"),
      .init("records", .count, required: true, reading: "s.records"),
      .init("beginning", .digest, reading: "s.beginning"),
      .init("identity", .digest, reading: "s.identity"),
    ])

  static let saved = CopyTable(
    .saved, rows: "saved AS x", scope: "x.session = ?1",
    columns: [
      .init("count", .integer(.size), required: true),
      .init("position", .integer(.position), required: true),
      .init("digest", .digest, required: true),
    ])
}
