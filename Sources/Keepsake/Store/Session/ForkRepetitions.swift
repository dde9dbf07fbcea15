/// What forks repeat of the entries that they share, and lose when such an entry is erased.
///
/// The preview of a fork is the beginning of the first prompt that was not erased, and the fork may share that prompt. The records of a file
/// that was imported as a fork say the entries that the fork shares, too.
///
/// A hub still has what was repeated, in versions of the fork. So a fork that loses something is told to the hub as a whole, by each store
/// that has the fork and gets to know of the erasing: the new version takes the place of the older ones. Where another store has done that
/// already, there is nothing left to tell.
struct ForkRepetitions {
  let handle: StoreHandle
  let db: Tables

  /// Lists a fork that lost something, to be told to the hub as a whole.
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

  /// Gives a new preview to a fork that shares an erased prompt, if its preview is not the beginning of another one.
  func renewPreview(of fork: Session) throws {
    let row = try SessionRow(fork, orPurged: true, in: db)
    guard row.hasPreview, try sharesErasedPrompt(fork, below: row.entries),
      let preview = try db.sessions.preview(of: fork.number),
      try !previews(of: fork, below: row.entries).contains(preview)
    else { return }
    try db.sessions.set(preview: fork.preview(below: row.entries, in: db), of: fork.number)
    try list(fork.number)
  }

  /// Returns the previews that a fork may have: the beginnings of all that its first prompt says, and said before it was revised.
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
  /// Erases the records that say an entry of which another store erased something, also those that forks have.
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
  /// Tells whether versions of a session that a hub has repeat what was erased here, so that this store has to tell the session as a whole.
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
