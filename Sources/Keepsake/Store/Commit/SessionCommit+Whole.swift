/// Commits that have a whole session, which take the place of all that came before them once something was erased.
extension SessionCommit {
  /// Tells whether the commit takes content out of the session.
  var isErasing: Bool {
    guard let base else { return false }
    return records.contains { $0.isErased(after: base.count) || $0.isErasedPiece }
      || gone.contains { $0.kind == .piece }
  }

  /// Returns the change from a session as it is in a store to the whole session that this commit has.
  ///
  /// Whoever writes the change checks it like any other: its links have to lead from the chain that the store has to the
  /// commit's.
  /// - Parameter here: The whole session as the store has it.
  func change(from here: SessionCommit) -> SessionCommit {
    let known = Set(here.records.map(Row.init))
    // The session's own record tells whether the session was deleted.
    let changed = records.filter { $0.kind == .session || !known.contains(Row($0)) }
    return SessionCommit(
      session: session, base: here.end, end: end, records: changed,
      gone: isOfPurged ? [] : missing(of: here), erased: erased)
  }

  /// The rows of a session in a store that a whole session does not have, of the kinds whose rows go.
  private func missing(of here: SessionCommit) -> [Gone] {
    let names = Set(records.compactMap(\.removableName))
    return here.records.compactMap(\.removableName).filter { !names.contains($0) }
  }

  /// A record as it is compared with another one.
  private struct Row: Hashable {
    let kind: CopyRecord.Kind
    let values: [CopyRecord.Value]

    init(_ record: CopyRecord) {
      kind = record.kind
      var values = record.values
      // Each store, and each commit, numbers its recordings anew.
      if kind == .attachment, let index = kind.table.index("recording") { values[index] = .null }
      self.values = values
    }
  }
}

extension CopyRecord {
  /// Tells whether the record is a piece of a foreign file whose bytes were erased. The chain of a fork has no link that tells of the erasing
  /// if the piece says a shared entry.
  var isErasedPiece: Bool { kind == .piece && self["bytes"] == .null }

  /// The name of the row, if it is of a kind whose rows may be removed from a session that stays.
  var removableName: SessionCommit.Gone? {
    switch kind {
    case .saved: SessionCommit.Gone(kind: .saved, first: 0, second: 0)
    case .piece:
      SessionCommit.Gone(
        kind: .piece, first: integer("import") ?? 0, second: integer("ordinal") ?? 0)
    default: nil
    }
  }
}

extension SessionCommit {
  /// Tells whether the commit tells the session from its beginning: it has the whole session, or had it before something in it was erased.
  fileprivate var tellsBeginning: Bool { isWhole || isRemainder && base?.count == 0 }

  /// Returns what is left of the commit once something in it was erased: its links, which tell where two stores part, and the
  /// names of the artifacts that it erased itself.
  func remainder() throws -> SessionCommit {
    let start = try base ?? (isWhole ? beginning() : nil)
    let links = try start.map {
      try CommitLinks(of: self, after: $0).inOrder(after: $0, of: session)
    }
    return SessionCommit(
      session: session, base: start, end: end, records: [], gone: [], erased: erased,
      links: links ?? [])
  }
}

extension [SessionCommit] {
  /// The commits, in the order of their versions, that tell all that there is of a session: those from the last one on that tells
  /// it from its beginning, or all of them.
  var telling: [SessionCommit] {
    guard let last = lastIndex(where: \.tellsBeginning) else { return self }
    var telling = Array(self[last...])
    telling[0].erased += self[..<last].flatMap(\.erased)
    return telling
  }

  /// Tells whether something was erased in the commits, and the one that takes its place is not among them.
  var areErased: Bool { contains(where: \.isRemainder) && !contains(where: \.standsAlone) }
}
