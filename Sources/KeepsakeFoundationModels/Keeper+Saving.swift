#if canImport(FoundationModels)
  import KeepsakeFiles
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  public import FoundationModels
  public import Keepsake
  import KeepsakeFormats

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension Keeper {
    /// Saves a transcript: adds the entries that are new at its end. Saving it again writes nothing.
    ///
    /// Each turn saves the transcript by itself. Call this where something else made the transcript grow. Changed
    /// instructions are recorded by the rule of ``Keeper``. The caller's cancellation does not stop it.
    /// - Parameter transcript: The transcript of the model session.
    /// - Returns: What was added, and the tool runs for which no call of the transcript was found.
    /// - Throws: `diverged`, where the transcript parts ways with the stored session and no fork was asked for;
    ///   `KeepsakeError`, when the store can't be written to.
    @concurrent @discardableResult
    public func save(_ transcript: Transcript) async throws -> Session.SaveResult {
      let session = session
      return try await save(
        try await outgrown(transcript, in: session), in: session, ifDiverging: divergence)
    }

    /// A transcript, divided into what the keeper gave out and what is new.
    struct Outgrown {
      /// The transcript itself.
      let transcript: Transcript
      /// All entries of the transcript.
      var list: [SourceEntry]
      /// The instructions at its beginning; empty where they are stored already.
      let instructions: [SourceEntry]
      /// The entries to save: all of them, or only the new ones where the keeper gave out the others.
      var unsaved: [SourceEntry]
      /// Whether the transcript may hold new entries.
      let hasGrown: Bool

      /// Adds the models and the usage of answers, which a transcript does not state.
      mutating func add(_ reports: [String: Report]) {
        if reports.isEmpty { return }
        Self.add(reports, to: &list)
        Self.add(reports, to: &unsaved)
      }

      private static func add(_ reports: [String: Report], to list: inout [SourceEntry]) {
        for index in list.indices {
          guard let key = list[index].entry.key, let report = reports[key] else { continue }
          list[index].entry.model = report.model
          list[index].entry.usage = report.usage
        }
      }
    }

    private func outgrown(_ transcript: Transcript, in session: Session) async throws -> Outgrown {
      let list = try list(transcript)
      let (given, told) = state.withLock { ($0.given, $0.instructions) }
      let head = list.prefix { $0.entry.kind == .instructions }
      let isKnown =
        head.count == told.count
        && zip(head, told).allSatisfy { $0.entry.key == $1.key && $0.entry.hasSameContent(as: $1) }
      let instructions = isKnown ? [] : Array(head)
      // An entry that was given out is stored, possibly with other content: a text for an image, or a path that is
      // valid now.
      let said = list.dropFirst(head.count)
      let known = said.prefix { $0.entry.key.map { given.positions[$0] != nil } ?? false }
      let new = said.dropFirst(known.count)
      var unsaved = list
      if !known.isEmpty {
        let anchor = try await given.anchor(of: known.compactMap(\.entry.key), in: session)
        unsaved = instructions + (anchor.map { [SourceEntry($0)] } ?? []) + new
      }
      var outgrown = Outgrown(
        transcript: transcript, list: list, instructions: instructions, unsaved: unsaved,
        hasGrown: !new.isEmpty)
      outgrown.add(state.withLock { $0.reports })
      return outgrown
    }

    private func list(_ transcript: Transcript) throws -> [SourceEntry] {
      let encoder = JSONEncoder()
      // Without sorted keys, equal transcripts would be encoded as different bytes, and would look changed from the
      // beginning.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var list = try AppleCodec.decode([UInt8](try encoder.encode(transcript)))
      for index in list.indices { list[index].entry.lane = lane }
      return list
    }

    /// Saves the unsaved entries of a transcript, and remembers the transcript as saved.
    private func save(
      _ outgrown: Outgrown, in session: Session, ifDiverging divergence: Session.Divergence,
      ending draft: Draft? = nil
    ) async throws -> Session.SaveResult {
      let result = try await session.save(
        outgrown.unsaved, ifDiverging: divergence, ending: draft, isCancellable: false)
      state.withLock { state in
        if result.session.id != session.id { state.session = result.session }
        state.parting = nil
        state.remember(outgrown)
      }
      return result
    }

    /// Saves what something other than a turn added to a transcript, before the next turn begins.
    ///
    /// Where the transcript parts ways with the stored session and no fork was asked for, the position is noted.
    /// - Returns: The transcript, where its instructions are to be recorded with the turn; otherwise nil.
    func catchUp(with transcript: Transcript) async throws -> Outgrown? {
      if Mark(transcript) == state.withLock({ $0.saved }) { return nil }
      let session = session
      let outgrown = try await outgrown(transcript, in: session)
      if outgrown.hasGrown {
        do {
          _ = try await save(outgrown, in: session, ifDiverging: divergence)
          return nil
        } catch let error as KeepsakeError where error.code == .diverged {
          state.withLock { $0.parting = (error.cause as? Diverged)?.position ?? 0 }
        }
      }
      if !outgrown.instructions.isEmpty { return outgrown }
      state.withLock { $0.remember(outgrown) }
      return nil
    }

    /// Records the instructions of a transcript in the turn that was opened.
    func record(_ told: Outgrown) async throws {
      try await session.save(told.instructions)
      state.withLock { $0.remember(told) }
    }

    /// Saves a transcript after a turn whose prompt is stored already, and ends the draft of its answer.
    ///
    /// Where the whole transcript parts ways with the stored session, only the turn is saved. The answer gets the
    /// usage of the turn.
    func save(
      _ transcript: Transcript, of turn: RecordedTurn, ending draft: Draft? = nil,
      usage: Usage? = nil
    ) async throws {
      var outgrown = try await outgrown(transcript, in: turn.session)
      let beginning = turn.beginning(in: outgrown.list)
      if let beginning {
        try await adjust(turn, to: outgrown.list[beginning].entry)
        outgrown.add(report(on: outgrown.list[beginning...], usage: usage))
      }
      if state.withLock({ $0.parting }) == nil {
        do {
          _ = try await save(outgrown, in: turn.session, ifDiverging: .fail, ending: draft)
          return
        } catch let error as KeepsakeError where error.code == .diverged {
          // By now another entry follows the prompt, which the app or another keeper added.
        }
      }
      guard let beginning, let position = turn.prompt.position else {
        try await draft?.finish()
        return
      }
      try await turn.session.save(
        Array(outgrown.list[beginning...]), turnAt: position, ending: draft, isCancellable: false)
      state.withLock { $0.remember(outgrown) }
    }

    /// Saves a transcript if it has grown since it was saved or given out.
    func saveIfGrown(_ transcript: Transcript, of turn: RecordedTurn) async throws {
      if Mark(transcript) == state.withLock({ $0.saved }) { return }
      try await save(transcript, of: turn)
    }

    /// The models and the usage of a turn's entries, together with those of earlier turns.
    private func report(on turn: ArraySlice<SourceEntry>, usage: Usage?) -> [String: Report] {
      let answer = turn.last { $0.entry.kind == .response }?.entry.key
      return state.withLock { state in
        for entry in turn.lazy.map(\.entry) {
          guard let key = entry.key, [.response, .toolCalls, .reasoning].contains(entry.kind)
          else { continue }
          let usage = key == answer ? usage : nil
          guard state.model != nil || usage != nil, state.reports[key] == nil else { continue }
          state.reports[key] = Report(model: state.model, usage: usage)
        }
        return state.reports
      }
    }

    /// Revises the stored prompt of a turn where the model was given another one.
    ///
    /// An app may put text around the person's words, or an image beside them. The earlier content stays as a
    /// revision.
    private func adjust(_ turn: RecordedTurn, to prompt: Entry) async throws {
      guard let position = turn.prompt.position, !prompt.hasSameContent(as: turn.prompt) else {
        return
      }
      // The revision runs in a task of its own, because the answer has come and is saved even when the caller is
      // cancelled.
      _ = try await Task { try await turn.session.revise(position, to: prompt) }.value
    }
  }

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension Keeper.State {
    /// Remembers that all of a transcript is saved, including its instructions.
    fileprivate mutating func remember(_ outgrown: Keeper.Outgrown) {
      saved = Keeper.Mark(outgrown.transcript)
      instructions = outgrown.list.prefix { $0.entry.kind == .instructions }.map(\.entry)
    }
  }
#endif
