// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

import Foundation

/// A conversation with a model. Like Apple's, its transcript grows only when an answer is whole.
public final class LanguageModelSession: @unchecked Sendable {
  // `@unchecked`: what changes is reached only while `lock` is held.
  private let lock = NSLock()
  private var current: Transcript
  private var requests = 0
  private var responding = false
  private var used = Usage()
  private let model: SystemLanguageModel
  private let tools: [any Tool]

  public convenience init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], instructions: String? = nil
  ) {
    var entries: [Transcript.Entry] = []
    if instructions != nil || !tools.isEmpty {
      entries.append(
        .instructions(
          .init(
            segments: instructions.map { [.text(.init(content: $0))] } ?? [],
            toolDefinitions: tools.map {
              .init(name: $0.name, description: $0.description)
            })))
    }
    self.init(model: model, tools: tools, transcript: Transcript(entries: entries))
  }

  public init(
    model: SystemLanguageModel = .default, tools: [any Tool] = [], transcript: Transcript
  ) {
    self.model = model
    self.tools = tools
    current = transcript
  }

  public var transcript: Transcript { lock.withLock { current } }
  public var isResponding: Bool { lock.withLock { responding } }

  /// What all answers have taken so far; from OS 27 on.
  public var usage: Usage { lock.withLock { used } }

  public struct Usage: Sendable {
    public struct Input: Sendable {
      public var totalTokenCount: Int
      public var cachedTokenCount: Int

      public init(totalTokenCount: Int, cachedTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.cachedTokenCount = cachedTokenCount
      }
    }

    public struct Output: Sendable {
      public var totalTokenCount: Int
      public var reasoningTokenCount: Int

      public init(totalTokenCount: Int, reasoningTokenCount: Int) {
        self.totalTokenCount = totalTokenCount
        self.reasoningTokenCount = reasoningTokenCount
      }
    }

    public var input: Input
    public var output: Output

    public init(
      input: Input = .init(totalTokenCount: 0, cachedTokenCount: 0),
      output: Output = .init(totalTokenCount: 0, reasoningTokenCount: 0)
    ) {
      self.input = input
      self.output = output
    }
  }

  public struct Response<Content: Generable> {
    public let content: Content
    public let rawContent: GeneratedContent
    public let transcriptEntries: ArraySlice<Transcript.Entry>
  }

  @discardableResult
  public nonisolated(nonsending) func respond(
    to prompt: String, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    try await respond(to: Prompt(prompt), options: options)
  }

  @discardableResult
  public nonisolated(nonsending) func respond(
    to prompt: Prompt, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<String> {
    let request = Transcript.Prompt(segments: prompt.segments, options: options)
    return try Response(await answer(request, isStructured: false) { _ in })
  }

  @discardableResult
  public nonisolated(nonsending) func respond<Content: Generable>(
    to prompt: String, generating type: Content.Type = Content.self,
    includeSchemaInPrompt: Bool = true, options: GenerationOptions = GenerationOptions()
  ) async throws -> Response<Content> {
    let request = Transcript.Prompt(
      segments: Prompt(prompt).segments, options: options, responseFormat: .init(type: type))
    return try Response(await answer(request, isStructured: true) { _ in })
  }
}

// MARK: - The scripted model

extension LanguageModelSession {
  /// What a request came to.
  struct Answer: Sendable {
    let content: GeneratedContent
    let entries: [Transcript.Entry]
  }

  func answer(
    _ prompt: Transcript.Prompt, isStructured: Bool, snapshot: @Sendable (GeneratedContent) -> Void
  ) async throws -> Answer {
    let steps = try begin()
    defer { lock.withLock { responding = false } }
    var entries: [Transcript.Entry] = [.prompt(prompt)]
    var outputs: [String] = []
    var content = GeneratedContent(.string(""))
    for step in steps {
      try Task.checkCancellation()
      switch step {
      case .call(let calls):
        let answered = try await run(calls)
        entries += answered.entries
        outputs += answered.outputs
      case .say(let text): content = GeneratedContent(.string(text(outputs)))
      case .stream(let snapshots):
        for text in snapshots {
          content =
            isStructured ? try GeneratedContent(json: text) : GeneratedContent(.string(text))
          snapshot(content)
        }
      case .think(let text):
        entries.append(.reasoning(.init(segments: [.text(.init(content: text))])))
      case .fail(let error): throw error
      case .hang: try await Task.sleep(for: .seconds(3600))
      }
    }
    let segment: Transcript.Segment =
      if isStructured {
        .structure(.init(source: prompt.responseFormat?.name ?? "", content: content))
      } else {
        .text(.init(id: "0", content: try String(content)))
      }
    entries.append(.response(.init(assetIDs: [], segments: [segment])))
    let added = entries
    lock.withLock {
      current.entries += added
      used.input.totalTokenCount += model.usage.input.totalTokenCount
      used.input.cachedTokenCount += model.usage.input.cachedTokenCount
      used.output.totalTokenCount += model.usage.output.totalTokenCount
      used.output.reasoningTokenCount += model.usage.output.reasoningTokenCount
    }
    return Answer(content: content, entries: added)
  }

  private func begin() throws -> [SystemLanguageModel.Step] {
    try lock.withLock {
      guard !responding else {
        throw GenerationError.concurrentRequests(.init(debugDescription: "It is responding."))
      }
      guard requests < model.script.count else {
        throw GenerationError.assetsUnavailable(
          .init(debugDescription: "The script has no answer \(requests + 1)."))
      }
      requests += 1
      responding = true
      return model.script[requests - 1]
    }
  }

  /// Runs tools at the same time, in tasks that know nothing of the one that asked.
  private func run(_ calls: [(tool: String, arguments: String)]) async throws -> (
    entries: [Transcript.Entry], outputs: [String]
  ) {
    var named: [Transcript.ToolCall] = []
    var tasks: [Task<[Transcript.Segment], any Error>] = []
    for call in calls {
      guard let tool = tools.first(where: { $0.name == call.tool }) else {
        throw GenerationError.decodingFailure(.init(debugDescription: "no tool \(call.tool)"))
      }
      let arguments = try GeneratedContent(json: call.arguments)
      named.append(
        .init(id: UUID().uuidString, toolName: call.tool, arguments: arguments))
      tasks.append(
        Task.detached {
          do { return try await tool.output(for: arguments) } catch {
            throw ToolCallError(tool: tool, underlyingError: error)
          }
        })
    }
    let running = tasks
    return try await withTaskCancellationHandler {
      var entries: [Transcript.Entry] = [.toolCalls(.init(named))]
      var outputs: [String] = []
      var failure: (any Error)?
      for (call, task) in zip(named, running) {
        switch await task.result {
        case .success(let segments):
          entries.append(
            .toolOutput(.init(id: call.id, toolName: call.toolName, segments: segments)))
          outputs += segments.map(\.spoken)
        case .failure(let error): failure = failure ?? error
        }
      }
      if let failure { throw failure }
      return (entries, outputs)
    } onCancel: {
      for task in running { task.cancel() }
    }
  }
}

extension Transcript.Segment {
  /// As the model reads it.
  fileprivate var spoken: String {
    switch self {
    case .text(let segment): segment.content
    case .structure(let segment): segment.content.jsonString
    case .attachment(let segment): segment.label
    }
  }
}

extension LanguageModelSession.Response {
  init(_ answer: LanguageModelSession.Answer) throws {
    self.init(
      content: try Content(answer.content), rawContent: answer.content,
      transcriptEntries: answer.entries[...])
  }
}
