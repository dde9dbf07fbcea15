#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension Session {
  /// What a model is to be given to go on with this conversation. What is stored is not touched.
  ///
  /// Left out are what was taken back (see ``LivePath``), events, what is for the person alone, other lanes, attempts
  /// that came to nothing, and the instructions that a fork shares and has its own in the place of. Images that a
  /// step of the app made are no calls, and never become any: to a model they are attachments, or words. A call and
  /// its outputs go out together or not at all, with a stated placeholder for an output that never came. Of entries
  /// that were erased, prompts and responses keep their place as `[erased]`. The newest content of revised entries
  /// goes out. Everything that was done is in the notes.
  ///
  /// With a budget, instructions and the newest turn stay; whole turns are dropped from the front, or condensed. Where
  /// the newest turn alone is too large, words take the place of images, the oldest first.
  ///
  /// Reads all of the session. Costs the rewriting of those entries that go out, where references are respelled.
  /// - Throws: `tooLarge`, saying the least budget that would do, when the newest turn doesn't fit.
  @concurrent
  public func resume(_ options: Resumption.Options = .init()) async throws -> Resumption {
    var (entries, outcomes, open) = try core.read { db in
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

  /// The indices of the instructions that a fork shares, and has others of its own in the place of, in the same lane.
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

  /// What became of the turn that each entry belongs to, where it was opened as one, and the turns that still are
  /// open. Shared entries belong to turns of the session that owns them.
  private func outcomes(of entries: [Entry], in db: Connection) throws -> (
    [Turn.Outcome?], open: [Resumption.Note]
  ) {
    var outcomes = [Turn.Outcome?](repeating: nil, count: entries.count)
    var open: [Resumption.Note] = []
    for stretch in lineage.stretches(entries.indices) {
      let find = try db.prepare("SELECT number, outcome FROM turn WHERE session = ?")
      find.bind(stretch.piece.session)
      var known: [Int: Turn.Outcome?] = [:]
      while try find.step() {
        let number = find.int()
        known[number] = .some(
          try find.optionalInt().map { try .init(code: $0, of: "a turn of session \(id)") })
      }
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
  /// - Parameters:
  ///   - entries: A session's entries, in order.
  ///   - outcomes: What became of the turn that each belongs to, by index.
  ///   - replaced: The indices of those that others took the place of.
  ///   - index: What attachments are called, where references are to be respelled.
  ///   - options: What they go out for.
  ///   - notes: What is known already.
  ///   - object: What an error is about.
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

  /// By position, and for one position as they came.
  private static func inOrder(_ notes: [Note]) -> [Note] {
    notes.enumerated().sorted {
      ($0.element.position ?? -1, $0.offset) < ($1.element.position ?? -1, $1.offset)
    }.map(\.element)
  }
}
