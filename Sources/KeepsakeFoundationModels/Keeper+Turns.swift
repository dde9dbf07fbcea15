#if canImport(FoundationModels)
  import KeepsakeFiles
  public import FoundationModels
  import Keepsake

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension Keeper {
    /// Asks a model, and keeps the prompt, what its tools make, and the answer or the failure.
    ///
    /// The turn is opened and the prompt stored before the model is asked. When the model has answered, the
    /// transcript is saved and the turn is closed as answered. When the body throws, the turn is closed as refused
    /// (with the explanation of the model or the guardrail), cancelled or failed, and the error is thrown on. What
    /// tools made until then stays.
    ///
    /// From OS 27 on, an answer is recorded with the usage of its turn, all attempts included, as the framework
    /// reports it.
    ///
    /// An answer is returned and kept whatever the model was told and given: see ``Keeper`` for other instructions,
    /// and for a transcript that parts ways with the stored session. If the store can't be written to when the answer
    /// comes, for example because the disk is full, that error is thrown, and the model is not asked again. The
    /// answer then stands in the transcript of the model session, and the next turn with that session keeps it first.
    /// ```swift
    /// let answer = try await keeper.turn(text, in: model) { try await model.respond(to: text) }
    /// ```
    /// - Parameters:
    ///   - text: The person's words. Where the model is given another prompt, that becomes the content, and this text
    ///     stays as a revision.
    ///   - model: The model session that the body asks.
    ///   - shouldRetry: Decides whether the model is asked again after an error. It gets the number of attempts so
    ///     far, and may wait.
    ///   - body: Asks the model.
    /// - Returns: The value that the body returned.
    /// - Throws: What the body threw; `KeepsakeError`, when the store can't be written to.
    @discardableResult
    public func turn<Value>(
      _ text: String, in model: LanguageModelSession,
      retrying shouldRetry: (_ error: any Error, _ attempts: Int) async throws -> Bool = {
        _, _ in false
      },
      _ body: () async throws -> Value
    ) async throws -> Value {
      let turn = try await open(text, in: model)
      var attempts = 0
      while true {
        attempts += 1
        let value: Value
        do { value = try await body() } catch {
          if await isWorth(error, attempts, shouldRetry) { continue }
          try await close(turn, after: error, in: model, draft: nil, attempts: attempts)
          throw error
        }
        try await keepAnswer(of: turn, in: model, draft: nil, attempts: attempts)
        return value
      }
    }

    /// Asks a model that streams. Its snapshots become a draft, which observers see and which survives a crash.
    ///
    /// When the stream has ended, the transcript is saved with the answer, and the draft ends with it. When the
    /// stream breaks off, the part that had come is kept as an entry that failed or was cancelled.
    ///
    /// ```swift
    /// let answer = try await keeper.streaming(text, in: model) {
    ///   model.streamResponse(to: text, generating: Itinerary.self)
    /// } onSnapshot: { itinerary = $0.content }
    /// ```
    /// - Parameters:
    ///   - text: The person's words.
    ///   - model: The model session that streams.
    ///   - shouldRetry: Decides whether the model is asked again after an error. It gets the number of attempts so
    ///     far, and may wait.
    ///   - stream: Begins the stream.
    ///   - onSnapshot: Gets each snapshot. What it throws ends the stream.
    /// - Returns: The whole answer.
    /// - Throws: What the closures or the stream threw; `KeepsakeError`, when the store can't be written to.
    @discardableResult
    public func streaming<Content: Generable>(
      _ text: String, in model: LanguageModelSession,
      retrying shouldRetry: (_ error: any Error, _ attempts: Int) async throws -> Bool = {
        _, _ in false
      },
      _ stream: () async throws -> LanguageModelSession.ResponseStream<Content>,
      onSnapshot: (LanguageModelSession.ResponseStream<Content>.Snapshot) async throws -> Void = {
        _ in
      }
    ) async throws -> LanguageModelSession.Response<Content> {
      let turn = try await open(text, in: model)
      var attempts = 0
      while true {
        attempts += 1
        var draft: Draft?
        let response: LanguageModelSession.Response<Content>
        do {
          let streaming = try await turn.session.draft(.response, lane: lane)
          draft = streaming
          let snapshots = try await stream()
          for try await snapshot in snapshots {
            streaming.update(snapshot)
            try await onSnapshot(snapshot)
          }
          // A stream whose task was cancelled may end as if it were complete.
          try Task.checkCancellation()
          response = try await snapshots.collect()
        } catch {
          if await isWorth(error, attempts, shouldRetry) {
            try await draft?.withdraw()
            continue
          }
          try await close(turn, after: error, in: model, draft: draft, attempts: attempts)
          throw error
        }
        try await keepAnswer(of: turn, in: model, draft: draft, attempts: attempts)
        return response
      }
    }

    // MARK: - Opening and closing

    private func open(_ text: String, in model: LanguageModelSession) async throws -> RecordedTurn {
      let transcript = model.transcript
      // What was added otherwise is saved first, so that it stands before the turn.
      let told = try await catchUp(with: transcript)
      let lastPrompt = transcript.last { if case .prompt = $0 { true } else { false } }?.id
      let session = session
      let turn = try await session.openTurn(lane: lane)
      var prompt = Entry.prompt(text)
      prompt.lane = lane
      do {
        if let told { try await record(told) }
        let stored = try await session.append(prompt)
        return RecordedTurn(
          session: session, turn: turn, prompt: stored, lastPrompt: lastPrompt,
          usage: TokenUsage(of: model))
      } catch {
        let ending = await TurnEnding(error)
        try await session.close(turn, ending.outcome, detail: ending.detail, attempts: 0)
        throw error
      }
    }

    /// Saves the transcript with the answer, and closes the turn.
    private func keepAnswer(
      of turn: RecordedTurn, in model: LanguageModelSession, draft: Draft?, attempts: Int
    ) async throws {
      do {
        let usage = TokenUsage(of: model)?.added(since: turn.usage ?? TokenUsage())
        try await save(model.transcript, of: turn, ending: draft, usage: usage)
        let detail = state.withLock { $0.parting }.map {
          "The model was given another transcript than what is stored: they part at position \($0). The turn is kept; what else it was given is not."
        }
        try await turn.session.close(turn.turn, .answered, detail: detail, attempts: attempts)
      } catch {
        try await close(turn, after: error, in: model, draft: draft, attempts: attempts)
        throw error
      }
    }

    /// Returns whether the model is asked again. Where the decision itself throws, it is not.
    private func isWorth(
      _ error: any Error, _ attempts: Int,
      _ shouldRetry: (any Error, Int) async throws -> Bool
    ) async -> Bool {
      if error is CancellationError || Task.isCancelled { return false }
      do { return try await shouldRetry(error, attempts) } catch { return false }
    }

    /// Records the outcome of a turn that threw, and the part of its answer that came.
    private func close(
      _ turn: RecordedTurn, after error: any Error, in model: LanguageModelSession, draft: Draft?,
      attempts: Int
    ) async throws {
      let ending = await TurnEnding(error)
      do {
        switch draft {
        case let draft? where draft.text.isEmpty: try await draft.withdraw()
        case let draft? where ending.outcome == .cancelled: try await draft.cancel()
        case let draft?: try await draft.fail()
        case nil: break
        }
        try await turn.session.close(
          turn.turn, ending.outcome, detail: ending.detail, attempts: attempts)
        // The framework may be configured to keep the entries of a failed turn in its transcript.
        if !(error is KeepsakeError) { try await saveIfGrown(model.transcript, of: turn) }
      } catch let failure as KeepsakeError {
        throw KeepsakeError(
          failure.code, "\(failure.message) It was to record how a turn ended: \(error)",
          object: failure.object, cause: error)
      }
    }
  }

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension Draft {
    fileprivate func update<Content: Generable>(
      _ snapshot: LanguageModelSession.ResponseStream<Content>.Snapshot
    ) {
      if let text = snapshot.content as? String { return update(text) }
      let text = snapshot.rawContent.jsonString
      if let json = try? JSON(validating: text) {
        update(structure: json, schema: String(describing: Content.self))
      } else {
        update(text)
      }
    }
  }
#endif
