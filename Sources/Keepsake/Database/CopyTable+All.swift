extension CopyColumn {
  /// Returns the columns of the link that last wrote a row, which readers who do not verify may ignore.
  fileprivate static func link(recorded: Bool, salted: Bool = true) -> [CopyColumn] {
    (recorded
      ? [CopyColumn("recorded", .integer(.ordinal), required: true, in: "chain")] : [])
      + [
        CopyColumn("operation", .name(operations), required: true, in: "chain"),
        CopyColumn("change", .integer(.ordinal), required: true, in: "chain"),
      ] + (salted ? [CopyColumn("salt", .salt, in: "chain")] : [])
      + [CopyColumn("digest", .digest, required: true, in: "chain")]
  }

  fileprivate static let operations =
    [""] + (1...14).map { number in Chain.Operation(rawValue: number).map { "\($0)" } ?? "" }

  fileprivate static let call: [CopyColumn] = [
    CopyColumn("position", .position, in: "call", column: "call_entry"),
    CopyColumn("ordinal", .index, in: "call", column: "call_ordinal"),
  ]

  fileprivate static func name<Case: StoredCode & RawRepresentable>(
    _ name: String, _: Case.Type, required: Bool = true
  ) -> CopyColumn where Case.RawValue == String {
    CopyColumn(name, .name(Case.cases.map(\.rawValue)), required: required)
  }

  fileprivate static let turn = CopyColumn("turn", .integer(.ordinal))
}

extension CopyTable {
  static let session = CopyTable(
    .session, rows: "session AS x", scope: "x.number = ?1",
    derived: [
      "number", "reach", "entries", "turns", "attachments", "labels", "bytes", "model", "preview",
      "cover", "overlapping",
    ],
    columns: [
      .init("id", .id, required: true),
      .init("title", .text),
      .init("created", .time, required: true),
      .init("updated", .time, required: true),
      .init("origin", .text),
      .init("foreignID", .text, column: "foreign_id"),
      .init(
        "tags", .json,
        reading: """
          (SELECT nullif(json_group_array(tag), '[]') FROM
            (SELECT tag FROM tag WHERE session = x.number AND entry = -1 ORDER BY tag))
          """),
      .init(
        "metadata", .json,
        reading: "(SELECT json FROM session_metadata WHERE session = x.number)"),
      .init("state", .name(["shown", "hidden", "purged"]), required: true),
      .init("of", .session, in: "fork", column: "parent"),
      .init("position", .integer(.entries), in: "fork", column: "fork_position"),
      .init("change", .count, in: "fork", column: "fork_change"),
      .init("head", .digest, in: "fork", column: "fork_head"),
      .init("changes", .count, required: true, in: "chain", column: "changes"),
      .init("head", .digest, required: true, in: "chain", column: "head"),
    ])

  static let turn = CopyTable(
    .turn, rows: "turn AS x", scope: "x.session = ?1 ORDER BY x.number", derived: ["session"],
    key: ["session", "number"],
    columns: [
      .init("number", .integer(.ordinal), required: true),
      .init("lane", .text),
      .init("opened", .time, required: true),
      .init("closed", .time),
      .name("outcome", Turn.Outcome.self, required: false),
      .init("detail", .text),
      .init("attempts", .count, required: true),
    ])

  static let invocation = CopyTable(
    .invocation, rows: "invocation AS x", scope: "x.session = ?1 ORDER BY x.number",
    derived: ["number", "session"], key: ["number"],
    columns: [
      .init("id", .id, required: true),
      .turn,
      .init("maker", .name(["tool", "step"]), required: true),
      .init("name", .text, required: true),
      .init("implementation", .text),
      .init("version", .text),
      .init("model", .text),
      .init("parameters", .text),
      .init("arguments", .text),
      .init("started", .time, required: true),
      .init("ended", .time),
      .name("outcome", Invocation.Outcome.self, required: false),
      .init("detail", .text),
      .init("output", .text),
      .init("callID", .text, column: "call_id"),
    ] + CopyColumn.call + [
      .name("basis", Entry.Attachment.Basis.self, required: false)
    ] + CopyColumn.link(recorded: true))

  static let entry = CopyTable(
    .entry, rows: "entry AS x", scope: "x.id BETWEEN ?2 AND ?3 ORDER BY x.id",
    children: ("attachments", .attachment), key: ["id"],
    columns: [
      .init("position", .position, required: true, column: "id"),
      .init("id", .id, required: true, column: "uuid"),
      .name("kind", Entry.Kind.self),
      .init("created", .timeIfKnown, required: true),
      .name("status", Entry.Status.self),
      .name("visibility", Entry.Visibility.self),
      .turn,
      .init("key", .text),
      .init("lane", .text),
      .init("author", .text),
      .init("model", .text),
    ] + CopyColumn.call + [
      .init("body", .json),
      // The tool calls of an erased entry, whose body is gone; the body of any other entry has them.
      .init(
        "toolCalls", .json,
        reading: """
          CASE WHEN x.body IS NULL THEN (SELECT nullif(json_group_array(json(call)), '[]') FROM
            (SELECT json_object('id', call_id, 'tool', tool) AS call FROM tool_call
             WHERE entry = x.id ORDER BY ordinal)) END
          """),
      .init(
        "revised", .time,
        reading:
          "(SELECT replaced FROM revision WHERE entry = x.id ORDER BY number DESC LIMIT 1)"),
    ] + CopyColumn.link(recorded: false))

  static let attachment = CopyTable(
    .attachment, rows: "attachment AS x",
    scope: """
      x.session = ?1 AND (x.entry IS NULL OR x.entry NOT BETWEEN ?2 AND ?3) ORDER BY x.number
      """, derived: ["session"], key: ["number"],
    columns: [
      .init("recording", .recording, required: true, column: "number"),
      .init("artifact", .artifact),
      .init("mediaType", .text, column: "media_type"),
      .init("fileName", .text, column: "file_name"),
      .init("label", .text, required: true),
      .init("declaredLabel", .text, column: "declared_label"),
      .init("captions", .json),
      .name("direction", Entry.Attachment.Direction.self),
      .name("state", Entry.Attachment.State.self),
      .name("maker", Entry.Attachment.Maker.self),
      .name("basis", Entry.Attachment.Basis.self),
      .init("tool", .text),
      .init("callID", .text, column: "call_id"),
    ] + CopyColumn.call + [
      .init("invocation", .invocation),
      .init("created", .time, required: true),
      .turn,
      .init("position", .position, column: "entry"),
      .init("segment", .index),
      .init("pointer", .text),
      .init("start", .offset, in: "range", column: "range_start"),
      .init("end", .offset, in: "range", column: "range_end"),
      .init("reference", .text),
      .init("inputs", .json),
    ] + CopyColumn.link(recorded: true))

  static let revision = CopyTable(
    .revision, rows: "revision AS x",
    scope: "x.entry BETWEEN ?2 AND ?3 ORDER BY x.entry, x.number", key: ["entry", "number"],
    columns: [
      .init("position", .position, required: true, column: "entry"),
      .init("number", .integer(.ordinal), required: true),
      .init("replaced", .time, required: true),
      .init("until", .integer(.ordinal), required: true),
      .name("status", Entry.Status.self),
      .init("lane", .text),
      .init("author", .text),
      .init("model", .text),
      .init("body", .json),
    ] + CopyColumn.link(recorded: false))

  static let source = CopyTable(
    .source, rows: "import AS x JOIN source AS s ON s.number = x.source",
    scope: "x.session = ?1 ORDER BY x.number", derived: ["number", "session", "source"],
    key: ["number"],
    columns: [
      .init("format", .text, required: true, reading: "s.format"),
      .init("fileName", .text, reading: "s.name"),
      .init("stored", .time, required: true, reading: "s.created"),
      .init("size", .offset, required: true, reading: "s.size"),
      .init("fileDigest", .digest, required: true, reading: "s.digest"),
      // The change that recorded the import of the file with which this file begins.
      .init(
        "import", .integer(.ordinal), in: "base",
        reading: "(SELECT recorded FROM import WHERE source = s.base AND session = x.session)"),
      .init("pieces", .integer(.piece), in: "base", reading: "nullif(s.base_pieces, 0)"),
      .init("created", .time, required: true),
      .init("first", .integer(.entries), required: true),
      .init("count", .integer(.entries), required: true),
    ] + CopyColumn.link(recorded: true))

  static let piece = CopyTable(
    .piece, rows: "source_piece AS x JOIN import AS i ON i.source = x.id >> 28",
    scope: "x.id BETWEEN ?1 AND ?2 ORDER BY x.id", children: ("spans", .span),
    derived: ["id", "spans", "size"],
    columns: [
      .init("import", .integer(.ordinal), required: true, reading: "i.recorded"),
      .init(
        "ordinal", .integer(.piece), required: true,
        reading: "x.id & \(PieceID.limit - 1)"),
      .init("position", .position, column: "entry"),
      .init("entries", .integer(.entries), required: true),
      .init("bytes", .content),
    ])

  /// Spans have no rows of their own: a piece's row has all of its spans in a text.
  static let span = CopyTable(
    .span, rows: "",
    columns: [
      .init("position", .offset, required: true),
      .init("artifact", .artifact, required: true),
      .init("spelling", .offset, required: true),
    ])

  static let change = CopyTable(
    .change, rows: "change AS x", scope: "x.session = ?1 ORDER BY x.number", derived: ["session"],
    key: ["session", "number"],
    columns: [
      .init("number", .integer(.ordinal), required: true),
      .init("operation", .name(CopyColumn.operations), required: true),
      .init("position", .count, required: true),
      .init("digest", .digest, required: true),
    ])
}
