import KeepsakeFiles
import KeepsakeSQLite

/// A sweep takes what nothing refers to for waste. In a store of which a part is gone that is wrong: so it looks first
/// whether all is there, and refuses otherwise, as restic's `prune` does.
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

  private func requireReferences(in db: Connection) throws {
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

  /// Attachments that are counted and are not there; of forks only what is their own is there.
  private func requireAttachments(in db: Connection) throws {
    let lost = try db.integer(
      """
      SELECT coalesce(sum(lost), 0) FROM (
        SELECT attachments - (SELECT count(*) FROM attachment
          WHERE session = s.number AND direction <> 2) AS lost
        FROM session AS s WHERE parent IS NULL AND state = 0)
      WHERE lost > 0
      """)
    if let lost, lost > 0 { throw refusal("\(lost) of its attachments are missing.") }
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

  /// Where nothing refers to an artifact, and there are artifacts, or files of some: then the store's log must tell of a
  /// removal.
  private func requireTrace() throws {
    let isPlausible = try core.read { db in
      try db.integer(
        """
        SELECT EXISTS (SELECT 1 FROM attachment WHERE artifact IS NOT NULL)
          OR EXISTS (SELECT 1 FROM derivation) OR EXISTS (SELECT 1 FROM source_artifact)
          OR EXISTS (SELECT 1 FROM session WHERE state > 0)
          OR EXISTS (SELECT 1 FROM log WHERE event IN ('delete', 'purge', 'erase', 'abandon'))
        """) == 1
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

  /// Throws where a row uses one of these artifacts after all, which an index did not tell.
  func requireUnused(_ numbers: Set<Int64>, in db: Connection) throws {
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
      guard let spans = SpanText.spans(in: pieces.bytes(1)) else {
        throw refusal("the spans of piece \(pieces.int64(0)) of an imported file can't be read.")
      }
      guard spans.contains(where: { numbers.contains($0.artifact) }) else { continue }
      throw refusal("what it lists of the artifacts of imported files is not all that they hold.")
    }
  }

  /// Throws where a row names one of these files after all, which an index did not tell.
  func requireUnnamed(_ digests: Set<SHA256Digest>) throws {
    if digests.isEmpty { return }
    try core.read { db in
      let rows = try db.prepare("SELECT digest FROM artifact NOT INDEXED")
      while try rows.step() {
        // Somebody may have attached it since.
        guard let digest = rows.digest(), digests.contains(digest),
          try artifacts.row(digest, in: db) == nil
        else { continue }
        throw refusal("an index of its database does not tell of rows that are there.")
      }
    }
  }
}
