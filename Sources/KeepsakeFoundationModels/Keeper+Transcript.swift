#if canImport(FoundationModels)
  import Files
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
    /// The transcript to start a model session from: what is stored, healed, and within a budget.
    ///
    /// What is stored is not touched. To hear what was left out, see ``resume(_:)``.
    /// - Parameters:
    ///   - budget: How much may go out; nil for all of it.
    ///   - references: How paths and labels of artifacts are spelled in it; nil leaves them as they were said.
    @concurrent
    public func transcript(
      fitting budget: Resumption.Budget? = nil, references: Mention.Spelling? = nil
    ) async throws -> Transcript {
      try await resume(.init(lane: lane, budget: budget, references: references)).transcript
    }

    /// The transcript to start a model session from, and what was done to make it one.
    ///
    /// Before OS 27 a model can't be given images: whatever the options say, words take their place.
    @concurrent
    public func resume(_ options: Resumption.Options) async throws -> (
      transcript: Transcript, notes: [Resumption.Note]
    ) {
      var options = options
      let form = Self.form
      if form == .os26 { options.seesImages = false }
      let resumption = try await session.resume(options)
      let json = try await AppleCodec.encode(
        resumption.entries.map { OutgoingEntry(resumed: $0) }, as: form
      ).json
      let transcript = try JSONDecoder().decode(Transcript.self, from: Data(json))
      let given = Set(try AppleCodec.decode(json).compactMap(\.entry.key))
      let last = resumption.entries.last { $0.position != nil && $0.status == .complete }
      var anchor: Entry?
      if let position = last?.position { anchor = try await session.entry(at: position) }
      let remembered = anchor
      state.withLock { state in
        state.given = given
        state.anchor = remembered
        state.saved = Mark(transcript)
      }
      return (transcript, resumption.notes)
    }

    /// The version of the JSON that the framework at hand reads whole.
    private static var form: AppleCodec.Form {
      if #available(macOS 27, iOS 27, visionOS 27, watchOS 27, *) { .os27 } else { .os26 }
    }

    /// Saves a transcript: adds what is new at its end. Saving it again writes nothing.
    ///
    /// It is saved after each turn by itself; call it where something else made the transcript grow. Not stopped by
    /// the caller's cancellation.
    /// - Returns: What was added, and the runs of tools that no call of the transcript could be found for.
    @concurrent @discardableResult
    public func save(_ transcript: Transcript) async throws -> Session.SaveResult {
      try await save(transcript, of: nil, ending: nil)
    }

    /// Saves a transcript if something came to it since it was saved or given out.
    func saveIfGrown(_ transcript: Transcript, of turn: RecordedTurn? = nil) async throws {
      if Mark(transcript) == state.withLock({ $0.saved }) { return }
      try await save(transcript, of: turn, ending: nil)
    }

    /// Saves a transcript after a turn, whose prompt is stored already; a draft of its answer ends with it.
    @discardableResult
    func save(_ transcript: Transcript, of turn: RecordedTurn?, ending draft: Draft?) async throws
      -> Session.SaveResult
    {
      let encoder = JSONEncoder()
      // Otherwise equal transcripts have other bytes each time, and look changed from their beginning.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var list = try AppleCodec.decode([UInt8](try encoder.encode(transcript)))
      for index in list.indices { list[index].entry.lane = lane }
      let (given, anchor) = state.withLock { ($0.given, $0.anchor) }
      // What was given out is stored, and may say something else there: words for an image, a path of today.
      let known = list.prefix { $0.entry.key.map(given.contains) ?? false }.count
      var start = 0
      if known > 0 {
        list.removeFirst(known)
        if let anchor {
          list.insert(SourceEntry(anchor), at: 0)
          start = 1
        }
      }
      if let turn { try await adjust(turn, to: list[start...]) }
      let result = try await session.save(list, ending: draft, isCancellable: false)
      state.withLock { $0.saved = Mark(transcript) }
      return result
    }

    /// Lets the prompt that was stored before the model was asked say what the model was given, where that is more or
    /// something else: the app put words around it, or an image beside it. What it said stays as a revision.
    private func adjust(_ turn: RecordedTurn, to list: ArraySlice<SourceEntry>) async throws {
      guard let position = turn.prompt.position else { return }
      let before = turn.lastPrompt.flatMap { id in list.lastIndex { $0.entry.key == id } }
      let new = list[(before.map { $0 + 1 } ?? list.startIndex)...]
      guard let prompt = new.first(where: { $0.entry.kind == .prompt })?.entry,
        !prompt.hasSameContent(as: turn.prompt)
      else { return }
      // In a task of its own: the answer has come, and is saved also when the caller is cancelled now.
      let session = session
      _ = try await Task { try await session.revise(position, to: prompt) }.value
    }
  }
#endif
