// The framework has no model of its own on watchOS.
#if canImport(FoundationModels) && !os(watchOS)
  import KeepsakeFiles
  public import FoundationModels
  public import Keepsake

  @available(macOS 26, iOS 26, visionOS 26, *)
  @available(tvOS, unavailable)
  extension Keeper {
    /// The transcript to start a session of this model from: what is stored, healed, and within the model's window.
    ///
    /// ```swift
    /// let transcript = try await keeper.transcript(for: .default)
    /// ```
    /// The window and the counting are those of ``budget(for:reserving:)``.
    /// - Parameters:
    ///   - model: The model that the session is to have.
    ///   - reserve: How many tokens stay free for the next prompt and the answer; nil for a quarter of the window.
    ///   - references: How paths and labels of artifacts are spelled in it; nil leaves them as they were said.
    @concurrent
    public func transcript(
      for model: SystemLanguageModel, reserving reserve: Int? = nil,
      references: Mention.Spelling? = nil
    ) async throws -> Transcript {
      let budget = await budget(for: model, reserving: reserve)
      return try await resume(.init(lane: lane, budget: budget, references: references)).transcript
    }

    /// The window of a model, with the model's own counting of entries and of the tools that were wrapped.
    ///
    /// Before OS 26.4 a model doesn't count, and where it is not available it can't: the estimate takes its place. Built
    /// with an SDK before that of OS 26.4, the window is taken for the 4,096 tokens that it has there.
    /// - Parameters:
    ///   - model: The model.
    ///   - reserve: How many tokens stay free for the next prompt and the answer; nil for a quarter of the window.
    public func budget(
      for model: SystemLanguageModel, reserving reserve: Int? = nil
    ) async -> Resumption.Budget {
      var budget = Resumption.Budget(limit: 4096, reserve: reserve)
      // With this compiler came the SDK of OS 27.
      #if compiler(>=6.4) || os(Linux)
        if self.model == nil, #available(macOS 27, iOS 27, visionOS 27, *) {
          state.withLock { $0.model = model.variant.displayName }
        }
      #endif
      // With this compiler came the SDK of OS 26.4.
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
            // It is switched off, or still being downloaded: the estimate does for now.
            budget.tools = [:]
          }
        }
      #endif
      return budget
    }
  }
#endif
