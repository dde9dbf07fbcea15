// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

extension LanguageModelSession {
  public func streamResponse(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<String> {
    ResponseStream(
      self, .init(segments: Prompt(prompt).segments, options: options), isStructured: false)
  }

  public func streamResponse<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) -> sending ResponseStream<Content> {
    ResponseStream(
      self,
      .init(
        segments: Prompt(prompt).segments, options: options, responseFormat: .init(type: type)),
      isStructured: true)
  }

  /// Snapshots, each of all that has come so far.
  public struct ResponseStream<Content: Generable>: AsyncSequence {
    public struct Snapshot {
      public let content: Content.PartiallyGenerated
      public let rawContent: GeneratedContent
    }

    public typealias Element = Snapshot

    private let snapshots: AsyncThrowingStream<GeneratedContent, any Error>
    private let answer: Task<Answer, any Error>

    init(_ session: LanguageModelSession, _ prompt: Transcript.Prompt, isStructured: Bool) {
      let (snapshots, continuation) = AsyncThrowingStream.makeStream(of: GeneratedContent.self)
      self.snapshots = snapshots
      let answer = Task {
        do {
          let answer = try await session.answer(prompt, isStructured: isStructured) {
            continuation.yield($0)
          }
          continuation.finish()
          return answer
        } catch {
          continuation.finish(throwing: error)
          throw error
        }
      }
      self.answer = answer
      continuation.onTermination = { if case .cancelled = $0 { answer.cancel() } }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      var iterator: AsyncThrowingStream<GeneratedContent, any Error>.AsyncIterator

      public mutating func next(isolation actor: isolated (any Actor)? = #isolation)
        async throws -> Snapshot?
      {
        guard let content = try await iterator.next(isolation: actor) else { return nil }
        return Snapshot(
          content: try Content.PartiallyGenerated(content), rawContent: content)
      }
    }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(iterator: snapshots.makeAsyncIterator())
    }

    public nonisolated(nonsending) func collect() async throws -> sending Response<Content> {
      try Response(await answer.value)
    }
  }
}
