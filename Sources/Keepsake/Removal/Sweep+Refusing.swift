import KeepsakeFiles
import KeepsakeSQLite

/// Refuses a sweep of a store that is not whole, as restic's `prune` does.
///
/// A sweep takes everything that nothing refers to for waste. In a store that has lost rows, that would be wrong.
extension Sweep {
  /// Throws where rows or files that the store names are missing, where a folder can't be read, or where nothing refers to
  /// an artifact any more and nobody ever removed anything.
  func requireWhole() throws {
    do {
      try core.read { db in
        try requireReferences(in: db)
        try requireAttachments(in: db)
      }
      try requireBytes()
      try requireTrace()
    } catch let error as FileError
      where ![.tooManyOpen, .noResources, .io].contains(error.code)
    {
      throw refusal(
        "\(error.message) Nothing is to be removed while a part of the store can't be read.")
    } catch { throw KeepsakeError.wrap(error, store: core.layout.path) }
  }

  private func refusal(_ reason: String, isGivenUpByName: Bool = false) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Did not sweep the store at '\(core.layout.path)', and removed nothing: \(reason)",
      remedy: isGivenUpByName ? .restoreMissingOrGiveUp : .restoreMissing, object: core.layout.path)
  }

  private func requireReferences(in db: Tables) throws {
    let lost = try db.integer(
      """
      SELECT (SELECT count(*) FROM attachment AS a WHERE artifact IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM artifact WHERE number = a.artifact))
        + (SELECT count(*) FROM derivation AS d WHERE artifact IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM artifact WHERE number = d.artifact))
        + (SELECT count(*) FROM source_artifact AS s
          WHERE NOT EXISTS (SELECT 1 FROM artifact WHERE number = s.artifact))
      """)
    if let lost, lost > 0 {
      throw refusal("\(lost) of its rows refer to artifacts that it does not have.")
    }
  }

  /// Throws where a session counts more attachments than it has. Forks are left out: they count shared ones, too.
  private func requireAttachments(in db: Tables) throws {
    let count = try db.prepare(
      """
      SELECT coalesce(sum(lost), 0) FROM (
        SELECT attachments - (SELECT count(*) FROM attachment
          WHERE session = s.number AND direction <> ?) AS lost
        FROM session AS s WHERE parent IS NULL AND +state = ?)
      WHERE lost > 0
      """)
    count.bind(Entry.Attachment.Direction.content.code)
    count.bind(SessionPresence.shown)
    let lost = try count.step() ? count.int64() : 0
    if lost > 0 { throw refusal("\(lost) of its attachments are missing.") }
  }

  private func requireBytes() throws {
    var report = VerifyReport()
    var check = ArtifactCheck(core: core, readData: false, isStrict: true, givenUp: lost)
    repeat { try Task.checkCancellation() } while try check.page(report: &report)
    if let one = lost.subtracting(check.lost).min() {
      throw KeepsakeError(
        .invalid,
        "Did not sweep the store at '\(core.layout.path)', and removed nothing: \(one) is not missing, and can't be given up.",
        remedy: .giveUpDamaged, object: one.description)
    }
    guard let first = report.findings.first else { return }
    let count = report.findings.count + report.omittedFindings
    throw refusal(
      count == 1
        ? "\(first.object): \(first.what)"
        : "the bytes of \(count) artifacts are missing, the first of them \(first.object).",
      isGivenUpByName: true)
  }

  /// Throws where there are artifacts, or files of artifacts, and nothing refers to any, although the store's log tells of
  /// no removal.
  private func requireTrace() throws {
    let isPlausible = try core.read { db in
      let find = try db.prepare(
        """
        SELECT EXISTS (SELECT 1 FROM attachment WHERE artifact IS NOT NULL)
          OR EXISTS (SELECT 1 FROM derivation) OR EXISTS (SELECT 1 FROM source_artifact)
          OR EXISTS (SELECT 1 FROM session WHERE state > ?)
          OR EXISTS (SELECT 1 FROM log WHERE event IN ('delete', 'purge', 'erase', 'abandon'))
        """)
      find.bind(SessionPresence.shown)
      return try find.step() && find.bool()
    }
    if isPlausible { return }
    let rows = try core.read { try $0.integer("SELECT count(*) FROM artifact") } ?? 0
    // A file with a note belongs to nobody: its process was killed before it committed the artifact's row.
    let files =
      rows > 0 ? 0 : try Set(orphans().map(\.digest)).subtracting(firstFiles().map(\.digest)).count
    guard rows > 0 || files > 0 else { return }
    throw refusal(
      "none of its \(rows > 0 ? "\(rows) artifacts" : "\(files) artifact files") is used by anything, and nothing was ever deleted from it. Its database may be another one than these belong to."
    )
  }

  /// Throws where a row uses one of these artifacts after all, although no index told of it.
  func requireUnused(_ numbers: Set<Int64>, in db: Tables) throws {
    if numbers.isEmpty { return }
    for sql: StaticString in [
      "SELECT artifact FROM attachment NOT INDEXED WHERE artifact IS NOT NULL",
      "SELECT artifact FROM derivation NOT INDEXED WHERE artifact IS NOT NULL",
      "SELECT artifact FROM source_artifact NOT INDEXED",
    ] {
      let rows = try db.prepare(sql)
      while try rows.step() {
        guard numbers.contains(rows.int64()) else { continue }
        throw refusal("an index of its database does not tell of rows that are there.")
      }
    }
    let pieces = try db.prepare(
      "SELECT id, spans FROM source_piece NOT INDEXED WHERE spans IS NOT NULL")
    while try pieces.step() {
      let piece = pieces.int64()
      guard let spans = SpanText.spans(in: pieces.bytes()) else {
        throw refusal("the spans of piece \(piece) of an imported file can't be read.")
      }
      guard spans.contains(where: { numbers.contains($0.artifact) }) else { continue }
      throw refusal("what it lists of the artifacts of imported files is not all that they hold.")
    }
  }

  /// Throws where a row names one of these files after all, although no index told of it.
  func requireUnnamed(_ digests: Set<SHA256Digest>) throws {
    if digests.isEmpty { return }
    try core.read { db in
      let rows = try db.prepare("SELECT digest FROM artifact NOT INDEXED")
      while try rows.step() {
        // Somebody may have attached the artifact since the sweep looked.
        guard let digest = rows.digest(), digests.contains(digest),
          try artifacts.row(digest, in: db) == nil
        else { continue }
        throw refusal("an index of its database does not tell of rows that are there.")
      }
    }
  }
}
