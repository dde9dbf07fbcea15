// The framework has no model of its own on watchOS.
#if canImport(FoundationModels) && !os(watchOS)
  import KeepsakeFiles
  public import FoundationModels
  public import Keepsake

  @available(macOS 26, iOS 26, visionOS 26, *)
  @available(tvOS, unavailable)
  extension Keeper {
    /// Returns the transcript to start a session of a model from: the stored session, healed, and within the model's
    /// window.
    ///
    /// ```swift
    /// let transcript = try await keeper.transcript(for: .default)
    /// ```
    /// The window and the counting are those of ``budget(for:reserving:)``.
    /// - Parameters:
    ///   - model: The model of the session.
    ///   - reserve: The number of tokens that stay free for the next prompt and the answer; nil for a quarter of the
    ///     window.
    ///   - references: How paths and labels of artifacts are spelled; nil to leave them as they were said.
    /// - Returns: The transcript.
    /// - Throws: `KeepsakeError`, when the session can't be read or does not fit.
    @concurrent
    public func transcript(
      for model: SystemLanguageModel, reserving reserve: Int? = nil,
      references: Mention.Spelling? = nil
    ) async throws -> Transcript {
      let budget = await budget(for: model, reserving: reserve)
      return try await resume(.init(lane: lane, budget: budget, references: references)).transcript
    }

    /// Returns the window of a model, with the model's own count of the tokens of entries and wrapped tools.
    ///
    /// Before OS 26.4 a model can't count tokens, nor can a model that is not available; an estimate is used then.
    /// With an SDK before that of OS 26.4, the window is assumed to be 4,096 tokens.
    /// - Parameters:
    ///   - model: The model.
    ///   - reserve: The number of tokens that stay free for the next prompt and the answer; nil for a quarter of the
    ///     window.
    /// - Returns: The budget.
    public func budget(
      for model: SystemLanguageModel, reserving reserve: Int? = nil
    ) async -> Resumption.Budget {
      var budget = Resumption.Budget(limit: 4096, reserve: reserve)
      // This compiler came with the SDK of OS 27.
      #if compiler(>=6.4) || os(Linux)
        if self.model == nil, #available(macOS 27, iOS 27, visionOS 27, *) {
          state.withLock { $0.model = model.variant.displayName }
        }
      #endif
      // This compiler came with the SDK of OS 26.4.
      #if compiler(>=6.3)
        let size = model.contextSize
        if size > 0 { budget.limit = size }
        if #available(macOS 26.4, iOS 26.4, visionOS 26.4, *) {
          do {
            _ = try await model.tokenCount(for: Transcript())
            for (name, tool) in state.withLock({ $0.tools }) {
              budget.tools[name] = try await model.tokenCount(for: [tool])
            }
            budget.counter = { entries in
              try await model.tokenCount(for: Self.transcript(of: entries).0)
            }
          } catch {
            // The model is switched off or still being downloaded, so the estimate is used for now.
            budget.tools = [:]
          }
        }
      #endif
      return budget
    }
  }
#endif
