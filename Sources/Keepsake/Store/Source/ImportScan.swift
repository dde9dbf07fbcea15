import KeepsakeFiles

/// The first reading of a foreign file, which goes to its end before anything is written.
///
/// The facts are collected by which the file is compared with the store.
struct ImportScan {
  let source: ForeignSource
  /// The facts that the file says about its session.
  let facts: SourceFacts
  /// The session that the file is to be taken into; nil to find the session that it continues.
  let destination: Session?
  /// The stored beginning of a file that grew, and of which only the rest is read; nil for any other file.
  let grown: GrownFile?
  let digest: SHA256Digest
  let size: Int64
  let beginnings: Beginnings
  /// The entries, for a file that may have to be aligned with a stored session.
  let items: [SaveAlignment.Item]
  /// The shapes of ``items``, which no revision may change.
  let shapes: [Int]
  /// The first keys of the file's entries, of which there are two at most.
  let keys: [String]
  /// The number of entries.
  let entries: Int
  /// The time of the first entry that has one.
  let created: Int64?
  let skipped: [ImportReport.Skipped]
  /// The place where a later reading may go on.
  let bookmark: SourceBookmark?
  /// The title that a file that grew had when it was imported.
  let formerTitle: String?
  /// The beginning that the store knew before this reading, and the beginning up to the bookmark.
  let beginning: (known: ReadBeginning, bookmark: ReadBeginning)

  /// Reads a file.
  init(_ source: ForeignSource, into destination: Session? = nil) throws {
    try self.init(
      source, destination, nil, BeginningHasher().beginning, beginnings: Beginnings(source),
      isAligned: destination != nil || source.namesSession)
  }

  /// Reads the rest of a file that grew since it was imported.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - grown: The stored beginning of the file.
  ///   - known: The file's beginning as it was read.
  init(_ source: ForeignSource, after grown: GrownFile, _ known: ReadBeginning) throws {
    try self.init(
      source, nil, grown, known, beginnings: grown.beginnings, isAligned: false)
  }

  private init(
    _ source: ForeignSource, _ destination: Session?, _ grown: GrownFile?,
    _ known: ReadBeginning, beginnings: Beginnings, isAligned: Bool
  ) throws {
    self.source = source
    self.destination = destination
    self.grown = grown
    var hash = known.hasher()
    var beforeLast: ReadBeginning?
    var beginnings = beginnings
    var identity = source.identity
    var items: [SaveAlignment.Item] = []
    var shapes: [Int] = []
    var keys: [String] = []
    var entries = 0
    var created: Int64?
    var skipped = grown?.remarks ?? []
    var reading = try source.open(after: grown)
    formerTitle = grown == nil ? nil : reading.facts.title
    while let record = try reading.next() {
      try Task.checkCancellation()
      let isLast = hash.size + Int64(record.bytes.count) == source.growth?.size
      if isLast { beforeLast = hash.beginning }
      hash.update(record.bytes)
      if !record.entries.isEmpty {
        beginnings.add(
          identity.digest(ofRecordIn: record.bytes),
          hasPrompt: record.entries.contains { $0.entry.kind == .prompt })
      }
      let line = record.line ?? max(1, beginnings.records)
      skipped += record.remarks.map {
        .init(path: source.name, line: line, reason: $0, isKept: true)
      }
      entries += record.entries.count
      for item in record.entries {
        created = created ?? item.entry.created?.microseconds
        if keys.count < 2, let key = item.entry.key { keys.append(key) }
        guard isAligned else { continue }
        items.append(.init(key: item.entry.key, fingerprint: item.entry.fingerprint))
        shapes.append(item.entry.shape)
      }
    }
    try Self.checkLimits(of: source, entries: entries, records: beginnings.records)
    facts = reading.facts
    bookmark = beginnings.isOpening ? nil : reading.bookmark
    // Blanks at the end of a file are a record of their own, and the bookmark stands before that record.
    let bookmarked =
      if let beforeLast, beforeLast.size == bookmark?.offset { beforeLast } else { hash.beginning }
    beginning = (known, bookmarked)
    digest = hash.digest
    size = hash.size
    self.beginnings = beginnings
    self.items = items
    self.shapes = shapes
    self.keys = keys
    self.entries = entries
    self.created = created
    self.skipped = skipped
  }

  /// Checks that a session can hold as many entries, and a source as many records.
  private static func checkLimits(of source: ForeignSource, entries: Int, records: Int) throws {
    guard entries <= EntryID.maximumPosition, records < PieceID.limit / 2 else {
      throw KeepsakeError(
        .tooLarge,
        "Can't import '\(source.name ?? "the file")': it has \(entries) entries, and \(EntryID.maximumPosition) is the limit.",
        object: source.name)
    }
  }
}
