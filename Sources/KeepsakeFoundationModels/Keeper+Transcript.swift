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
    /// Instructions of the options, which nobody recorded yet, are recorded with the first turn that uses them.
    ///
    /// Before OS 27 a model can't be given images: whatever the options say, words take their place.
    @concurrent
    public func resume(_ options: Resumption.Options) async throws -> (
      transcript: Transcript, notes: [Resumption.Note]
    ) {
      var options = options
      let session = session
      let form = Self.form
      if form == .os26 { options.seesImages = false }
      let resumption = try await session.resume(options)
      let json = try await AppleCodec.encode(
        resumption.entries.map { OutgoingEntry(resumed: $0) }, as: form
      ).json
      let transcript = try JSONDecoder().decode(Transcript.self, from: Data(json))
      var given = try AppleCodec.decode(json).map(\.entry)
      for index in given.indices { given[index].lane = lane }
      let told = given.prefix { $0.kind == .instructions }
      // Those that the options put in are stored nowhere yet, and are recorded with the turn that uses them.
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

    /// The version of the JSON that the framework at hand reads whole.
    private static var form: AppleCodec.Form {
      if #available(macOS 27, iOS 27, visionOS 27, watchOS 27, *) { .os27 } else { .os26 }
    }
  }
#endif
