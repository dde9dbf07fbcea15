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
    /// Saves a transcript: adds what is new at its end. Saving it again writes nothing.
    ///
    /// It is saved after each turn by itself; call it where something else made the transcript grow. Instructions that
    /// changed are recorded by the rule of ``Keeper``. Not stopped by the caller's cancellation.
    /// - Returns: What was added, and the runs of tools that no call of the transcript could be found for.
    /// - Throws: `diverged`, where the transcript parts ways with what is stored and no fork was asked for.
    @concurrent @discardableResult
    public func save(_ transcript: Transcript) async throws -> Session.SaveResult {
      let session = session
      return try await save(
        try await outgrown(transcript, in: session), in: session, ifDiverging: divergence)
    }

    /// A transcript as it lies against what was given out.
    struct Outgrown {
      let transcript: Transcript
      /// All of it.
      var list: [SourceEntry]
      /// What it begins with, unless that is stored.
      let instructions: [SourceEntry]
      /// What is to be saved: all of it, or, where something was given out, what came to it since.
      var unsaved: [SourceEntry]
      /// Whether something may have come to it.
      let hasGrown: Bool

      /// Adds what is known of entries beside what the transcript says.
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
      // What was given out is stored, and may say something else there: words for an image, a path of today.
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
      // Otherwise equal transcripts have other bytes each time, and look changed from their beginning.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var list = try AppleCodec.decode([UInt8](try encoder.encode(transcript)))
      for index in list.indices { list[index].entry.lane = lane }
      return list
    }

    /// Saves all of a transcript that is not known to be stored.
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

    /// Saves what came to a transcript otherwise than by a turn, if something did, before a turn begins. Where that parts
    /// ways with what is stored, and no fork was asked for, it is noted.
    /// - Returns: What it begins with, where that is to be recorded with the turn.
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

    /// Records what the model is told, in the turn that was opened.
    func record(_ told: Outgrown) async throws {
      try await session.save(told.instructions)
      state.withLock { $0.remember(told) }
    }

    /// Saves a transcript after a turn, whose prompt is stored already; a draft of its answer ends with it. Where the
    /// whole of it parts ways with what is stored, the turn alone. Its answer has what the turn took.
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
          // Something else stands behind the prompt by now: the app, or another keeper, put it there.
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

    /// Saves a transcript if something came to it since it was saved or given out.
    func saveIfGrown(_ transcript: Transcript, of turn: RecordedTurn) async throws {
      if Mark(transcript) == state.withLock({ $0.saved }) { return }
      try await save(transcript, of: turn)
    }

    /// What is known of the entries of a turn that the model made.
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

    /// Lets the prompt that was stored before the model was asked say what the model was given, where that is more or
    /// something else: the app put words around it, or an image beside it. What it said stays as a revision.
    private func adjust(_ turn: RecordedTurn, to prompt: Entry) async throws {
      guard let position = turn.prompt.position, !prompt.hasSameContent(as: turn.prompt) else {
        return
      }
      // In a task of its own: the answer has come, and is saved also when the caller is cancelled now.
      _ = try await Task { try await turn.session.revise(position, to: prompt) }.value
    }
  }

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension Keeper.State {
    /// No more of a transcript is to be saved, and what it begins with is stored.
    fileprivate mutating func remember(_ outgrown: Keeper.Outgrown) {
      saved = Keeper.Mark(outgrown.transcript)
      instructions = outgrown.list.prefix { $0.entry.kind == .instructions }.map(\.entry)
    }
  }
#endif
