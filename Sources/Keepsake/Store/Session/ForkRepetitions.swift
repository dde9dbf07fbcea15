/// Takes erased content out of forks that repeat the content of a shared entry.
///
/// A fork repeats shared entries in two places. The preview of a fork is the beginning of the first prompt that was not erased, and the fork
/// may share that prompt. The records of a file that was imported as a fork say the shared entries, too.
///
/// A hub may have repeated content in older versions of a fork. So a fork that loses content is told to the hub as a whole, and the new
/// version takes the place of the older versions. Each store that has the fork and learns of the erasing tells the hub, unless the hub has
/// such a version already.
struct ForkRepetitions {
  let handle: StoreHandle
  let db: Tables

  /// Lists a fork that lost repeated content, so that the next sync tells the hub the whole fork.
  func list(_ fork: Int64) throws {
    if try db.joined.way() != nil { try db.unsent.list(fork, since: nil) }
  }
}

// MARK: - Previews

extension ForkRepetitions {
  /// Gives new previews to the forks of a session, and to their forks, after a prompt of the session was erased. A fork that does not share
  /// the prompt, or shares another one before it, keeps its preview.
  func renewPreviews(below session: Int64) throws {
    for member in try db.sessions.family(of: session) where member.number != session {
      let fork = Session(
        id: member.id, number: member.number, lineage: try Lineage(of: member.number, in: db),
        handle: handle)
      try renewPreview(of: fork)
    }
  }

  /// Gives a fork that shares an erased prompt a new preview, unless the fork's preview is the beginning of a prompt that was not erased.
  func renewPreview(of fork: Session) throws {
    let row = try SessionRow(fork, orPurged: true, in: db)
    guard row.hasPreview, try sharesErasedPrompt(fork, below: row.entries),
      let preview = try db.sessions.preview(of: fork.number),
      try !previews(of: fork, below: row.entries).contains(preview)
    else { return }
    try db.sessions.set(preview: fork.preview(below: row.entries, in: db), of: fork.number)
    try list(fork.number)
  }

  /// Returns the previews that a fork may have: the beginning of the first prompt as the prompt is now, and as it was before each revision.
  private func previews(of fork: Session, below end: Int) throws -> Set<String> {
    guard let position = try fork.firstPrompt(below: end, in: db) else { return [] }
    let reader = EntryReader(fork, in: db)
    let prompt = try reader.entries(position..<(position + 1))[0]
    let earlier = try reader.revisions(of: position, prompt).map(\.entry)
    return Set(([prompt] + earlier).compactMap(\.preview))
  }

  private func sharesErasedPrompt(_ fork: Session, below end: Int) throws -> Bool {
    let first = try fork.firstPrompt(below: end, in: db) ?? end
    return try fork.lineage.stretches(0..<first).contains { stretch in
      try stretch.piece.session != fork.number
        && db.entries.hasErasedPrompt(
          in: EntryID.range(stretch.positions, of: stretch.piece.session))
    }
  }
}

// MARK: - Records of imported files

extension ForkRepetitions {
  /// Erases the records of imported files that say an entry, also the records of forks, after another store erased something of the entry.
  /// - Parameters:
  ///   - entry: The entry.
  ///   - session: The session that the hub has without the erased content, so that only other sessions are listed to be told.
  ///   - unused: Takes the artifacts that may have lost their last use.
  func eraseRecords(
    of entry: EntryID, besides session: Int64, leaving unused: inout UnusedArtifacts
  ) throws {
    for owner in try SourceRemoval.erase(entry...entry, leaving: &unused, in: db)
    where owner != session {
      try list(owner)
    }
  }
}

// MARK: - What a hub has

extension ForkRepetitions {
  /// Tells whether a hub's versions of a session repeat content that was erased in this store. Then this store has to tell the hub the whole
  /// session.
  func remain(in versions: [SessionCommit], of session: Int64) throws -> Bool {
    let fork = try Session(number: session, handle: handle, in: db)
    if fork.lineage.shared.isEmpty { return false }
    let end = try SessionRow(fork, in: db).entries
    let previews = try sharesErasedPrompt(fork, below: end) ? previews(of: fork, below: end) : nil
    let erased = try fork.erasedShared(in: db)
    return versions.flatMap(\.records).contains { record in
      switch record.kind {
      case .piece: record.says(erased)
      case .standing:
        if let previews, let told = record.text("preview") {
          !previews.contains(told)
        } else {
          false
        }
      default: false
      }
    }
  }
}

extension CopyRecord {
  /// Tells whether the record of a file says an entry at one of some positions, and has its bytes.
  func says(_ positions: Set<Int>) -> Bool {
    guard !positions.isEmpty, let first = int("position"), self["bytes"] != .null else {
      return false
    }
    return (first..<(first + (int("entries") ?? 0))).contains(where: positions.contains)
  }
}

extension Session {
  /// Returns the positions of shared entries of which something was erased.
  func erasedShared(in db: Tables) throws -> Set<Int> {
    var positions: Set<Int> = []
    for (piece, shared) in lineage.stretches(0..<lineage.start) {
      let entries = EntryID.range(shared, of: piece.session)
      positions.formUnion(try db.entries.erased(in: entries))
      positions.formUnion(try db.attachments.erased(in: entries))
      for record in try db.sources.erasedPieces(of: piece.session) {
        positions.formUnion((record.positions ?? 0..<0).clamped(to: shared))
      }
    }
    return positions
  }
}
