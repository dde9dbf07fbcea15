import KeepsakeFiles

/// Refuses a sweep of a store that is not whole, as restic's `prune` does.
///
/// A sweep takes everything that nothing refers to for waste. In a store that has lost rows, that would be wrong.
extension Sweep {
  /// Throws where rows or files that the store names are missing, where a folder can't be read, or where nothing refers to
  /// an artifact any more and nobody ever removed anything.
  func requireWhole() throws {
    do {
      try handle.read { db in
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
    } catch { throw KeepsakeError.wrap(error, store: handle.layout.path) }
  }

  private func refusal(_ reason: String, isGivenUpByName: Bool = false) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Did not sweep the store at '\(handle.layout.path)', and removed nothing: \(reason)",
      remedy: isGivenUpByName ? .restoreMissingOrGiveUp : .restoreMissing,
      object: handle.layout.path)
  }

  private func requireReferences(in db: Tables) throws {
    let lost = try db.artifacts.lostReferences()
    if lost > 0 {
      throw refusal("\(lost) of its rows refer to artifacts that it does not have.")
    }
  }

  /// Throws where a session counts more attachments than it has. Forks are left out: they count shared ones, too.
  private func requireAttachments(in db: Tables) throws {
    let lost = try db.artifacts.lostAttachments()
    if lost > 0 { throw refusal("\(lost) of its attachments are missing.") }
  }

  private func requireBytes() throws {
    var report = VerifyReport()
    var check = ArtifactCheck(handle: handle, readData: false, isStrict: true, givenUp: lost)
    repeat { try Task.checkCancellation() } while try check.page(report: &report)
    if let one = lost.subtracting(check.lost).min() {
      throw KeepsakeError(
        .invalid,
        "Did not sweep the store at '\(handle.layout.path)', and removed nothing: \(one) is not missing, and can't be given up.",
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
  ///
  /// Others may keep the store's first artifacts while this looks at the files. So the rows are read after that.
  private func requireTrace() throws {
    if try handle.read({ try $0.artifacts.areUsedOrWereRemoved() }) { return }
    // The artifact of a file with a note has no row yet, or its process was killed before it committed the row. The notes
    // are read before the files, because a note goes as soon as its file has a row.
    let noted = Set(try firstFiles().map(\.digest))
    let files = Set(try orphans().map(\.digest)).subtracting(noted).count
    let (rows, isExplained) = try handle.read { db in
      (try db.artifacts.count(), try db.artifacts.areUsedOrWereRemoved())
    }
    guard !isExplained, rows > 0 || files > 0 else { return }
    throw refusal(
      "none of its \(rows > 0 ? "\(rows) artifacts" : "\(files) artifact files") is used by anything, and nothing was ever deleted from it. Its database may be another one than these belong to."
    )
  }

  /// Throws where a row uses one of these artifacts after all, although no index told of it.
  func requireUnused(_ numbers: Set<Int64>, in db: Tables) throws {
    if numbers.isEmpty { return }
    try db.artifacts.forEachUse { number in
      guard numbers.contains(number) else { return }
      throw refusal("an index of its database does not tell of rows that are there.")
    }
    try db.artifacts.forEachPieceWithSpans { piece, text in
      guard let spans = SpanText.spans(in: text) else {
        throw refusal("the spans of piece \(piece) of an imported file can't be read.")
      }
      guard spans.contains(where: { numbers.contains($0.artifact) }) else { return }
      throw refusal("what it lists of the artifacts of imported files is not all that they hold.")
    }
  }

  /// Throws where a row names one of these files after all, although no index told of it.
  func requireUnnamed(_ digests: Set<SHA256Digest>) throws {
    if digests.isEmpty { return }
    try handle.read { db in
      try db.artifacts.forEachDigest { digest in
        // Somebody may have attached the artifact since the sweep looked.
        guard digests.contains(digest), try artifacts.row(digest, in: db) == nil else { return }
        throw refusal("an index of its database does not tell of rows that are there.")
      }
    }
  }
}
