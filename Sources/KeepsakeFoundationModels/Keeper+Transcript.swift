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
    /// Returns the transcript to start a model session from: the stored session, healed, and within a budget.
    ///
    /// The stored session is not changed. Use ``resume(_:)`` to learn what was left out, and
    /// ``transcript(for:reserving:references:)`` for the window of a given model.
    /// - Parameters:
    ///   - budget: The size of the window; nil for the whole session. Unless the budget says otherwise, a quarter of
    ///     it, at most 8,192 tokens, stays free for the next prompt and the answer. The schemas of wrapped tools are
    ///     subtracted as well.
    ///   - references: How paths and labels of artifacts are spelled; nil to leave them as they were said.
    /// - Returns: The transcript.
    /// - Throws: `KeepsakeError`, when the session can't be read or does not fit.
    @concurrent
    public func transcript(
      fitting budget: Resumption.Budget? = nil, references: Mention.Spelling? = nil
    ) async throws -> Transcript {
      try await resume(.init(lane: lane, budget: budget, references: references)).transcript
    }

    /// Returns the transcript to start a model session from, and notes on how it differs from the stored session.
    ///
    /// Instructions in the options that are not stored yet are recorded with the first turn that uses them. Before OS
    /// 27 a model can't be given images, so texts take their place whatever the options say.
    /// - Parameter options: What the model is given.
    /// - Returns: The transcript and the notes.
    /// - Throws: `KeepsakeError`, when the session can't be read or does not fit.
    @concurrent
    public func resume(_ options: Resumption.Options) async throws -> (
      transcript: Transcript, notes: [Resumption.Note]
    ) {
      var options = options
      let session = session
      let form = Self.form
      if form == .os26 { options.seesImages = false }
      if let tools = options.budget?.tools {
        options.budget?.tools = try estimatedTools().merging(tools) { _, counted in counted }
      }
      let resumption = try await session.resume(options)
      let (transcript, json) = try await Self.transcript(of: resumption.entries)
      var given = try AppleCodec.decode(json).map(\.entry)
      for index in given.indices { given[index].lane = lane }
      let told = given.prefix { $0.kind == .instructions }
      // Instructions from the options are not stored yet; the first turn that uses them records them.
      let isStored = resumption.entries.prefix { $0.kind == .instructions }.allSatisfy {
        $0.position != nil
      }
      let instructions = isStored ? Array(told) : []
      var positions: [String: Int?] = [:]
      for key in given.compactMap(\.key) { positions[key] = .some(nil) }
      for entry in resumption.entries {
        guard let position = entry.position else { continue }
        let key = entry.key ?? entry.id.uuidString
        positions[entry.kind == .toolOutput ? entry.callID ?? key : key] = position
      }
      let last = resumption.entries.last { $0.position != nil && $0.status == .complete }
      var anchor: Entry?
      if let position = last?.position { anchor = try await session.entry(at: position) }
      let remembered = Given(positions: positions, last: given.last?.key, anchor: anchor)
      state.withLock { state in
        state.given = remembered
        state.instructions = instructions
        state.saved = isStored ? Mark(transcript) : Mark()
        state.parting = nil
      }
      return (transcript, resumption.notes)
    }

    /// The transcript of entries, and the JSON that it was decoded from.
    static func transcript(of entries: [Entry]) async throws -> (Transcript, json: [UInt8]) {
      let json = try await AppleCodec.encode(
        entries.map { OutgoingEntry(resumed: $0) }, as: form
      ).json
      return (try JSONDecoder().decode(Transcript.self, from: Data(json)), json)
    }

    /// Estimates the tokens of the wrapped tools' schemas, as the instructions of a transcript describe them.
    private func estimatedTools() throws -> [String: Int] {
      try state.withLock { $0.tools }.mapValues { tool in
        let described = Transcript(entries: [
          .instructions(.init(segments: [], toolDefinitions: [.init(tool: tool)]))
        ])
        return try AppleCodec.decode([UInt8](try JSONEncoder().encode(described)))
          .reduce(0) { $0 + $1.entry.estimatedTokens }
      }
    }

    /// The version of the JSON that the running framework reads completely.
    private static var form: AppleCodec.Form {
      if #available(macOS 27, iOS 27, visionOS 27, watchOS 27, *) { .os27 } else { .os26 }
    }
  }
#endif
