#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Returns the entries that a model needs to continue this conversation; stored entries do not change.
  ///
  /// Left out are entries that were taken back (see ``LivePath``), events, entries for the person only, other lanes, attempts
  /// without a response, and a fork's shared instructions if the fork has its own. An image that a step of the app made never
  /// becomes a call: to a model it is an attachment or a placeholder. A call and its outputs go out together or not at all,
  /// with a placeholder for an output that never came. Erased prompts and responses keep their place as `[erased]`. Revised
  /// entries go out with their newest content. The notes tell everything that was done.
  ///
  /// With a budget, instructions and the newest turn stay, and whole turns are dropped from the front, or condensed. If the
  /// newest turn alone is too large, placeholders replace images, the oldest first.
  ///
  /// The cost is reading the whole session, and rewriting the entries that go out if references are respelled.
  /// - Parameter options: The purpose and the limits of the resumption.
  /// - Returns: The entries, and the notes.
  /// - Throws: A ``KeepsakeError`` with the code `tooLarge` if the newest turn does not fit; its message tells the least
  ///   budget.
  @concurrent
  public func resume(_ options: Resumption.Options = .init()) async throws -> Resumption {
    var (entries, outcomes, open) = try handle.read { db in
      let end = try SessionRow.entries(of: self, in: db)
      let entries = try EntryReader(self, in: db).entries(0..<end)
      let (outcomes, open) = try self.outcomes(of: entries, in: db)
      return (entries, outcomes, open)
    }
    var notes = open
    let path = LivePath(of: entries)
    if !path.isWhole {
      for index in entries.indices where !path.contains(index) {
        notes.append(.init(position: index, action: .leftOut, reason: .takenBack))
      }
      outcomes = path.stretches.flatMap { outcomes[$0] }
      entries = path.stretches.flatMap { entries[$0] }
    }
    let replaced = replaced(in: entries)
    for draft in try await drafts() where draft.isInterrupted {
      notes.append(.init(position: nil, action: .noticed, reason: .interruptedDraft(draft.id)))
    }
    let index = options.references == nil ? nil : try await mentionIndex()
    return try await Resumption(
      entries, outcomes: outcomes, replaced: replaced, index: index, options: options,
      notes: notes, object: id.uuidString)
  }

  /// Returns the indexes of the shared instructions that a fork replaces with its own, in the same lane.
  private func replaced(in entries: [Entry]) -> Set<Int> {
    func isOwn(_ index: Int) -> Bool {
      lineage.owner(of: entries[index].position ?? index).session == number
    }
    let instructions = entries.indices.filter {
      entries[$0].kind == .instructions && entries[$0].status == .complete
    }
    let own = instructions.filter(isOwn)
    return Set(
      instructions.filter { index in
        !isOwn(index)
          && own.contains { entries[$0].lane.isSameText(as: entries[index].lane) }
      })
  }

  /// Returns the outcomes of the entries' turns, and notes on turns that are still open.
  ///
  /// Shared entries belong to turns of the session that owns them.
  private func outcomes(of entries: [Entry], in db: Tables) throws -> (
    [Turn.Outcome?], open: [Resumption.Note]
  ) {
    var outcomes = [Turn.Outcome?](repeating: nil, count: entries.count)
    var open: [Resumption.Note] = []
    for stretch in lineage.stretches(entries.indices) {
      let known = try db.turns.outcomes(of: stretch.piece.session, id: id)
      if known.isEmpty { continue }
      for position in stretch.positions {
        guard let turn = entries[position].turn, let outcome = known[turn] else { continue }
        outcomes[position] = outcome
        if outcome == nil, position == 0 || entries[position - 1].turn != turn {
          open.append(.init(position: position, action: .noticed, reason: .openTurn(turn)))
        }
      }
    }
    return (outcomes, open)
  }
}

extension Resumption {
  /// Selects, repairs and fits entries.
  ///
  /// - Parameters:
  ///   - entries: A session's entries, in order.
  ///   - outcomes: The outcomes of the entries' turns, by the index of the entry.
  ///   - replaced: The indexes of entries that other entries replace.
  ///   - index: The names of attachments, if references are to be respelled.
  ///   - options: The purpose and the limits of the resumption.
  ///   - notes: Notes that are known already.
  ///   - object: The object of an error.
  init(
    _ entries: [Entry], outcomes: [Turn.Outcome?], replaced: Set<Int> = [],
    index: MentionIndex? = nil, options: Options, notes: [Note] = [], object: String? = nil
  ) async throws {
    let list = OutgoingList(entries, outcomes: outcomes, replaced: replaced, options: options)
    var outgoing = OutgoingEntries(list.items, index: index, options: options)
    var notes = notes + list.notes
    if let budget = options.budget {
      var fitting = Fitting(outgoing, turns: list.turns, budget: budget, object: object)
      let fitted = try await fitting.fit()
      self.entries = fitted.entries
      tokens = fitted.tokens
      notes += fitted.notes
    } else {
      self.entries = try await outgoing.entries(Array(list.items.indices))
      tokens = nil
      for item in list.items.indices { notes += outgoing.notes(item) }
    }
    self.notes = Self.inOrder(notes)
  }

  /// Sorts notes by position; notes for the same position keep their order.
  private static func inOrder(_ notes: [Note]) -> [Note] {
    notes.enumerated().sorted {
      ($0.element.position ?? -1, $0.offset) < ($1.element.position ?? -1, $1.offset)
    }.map(\.element)
  }
}
