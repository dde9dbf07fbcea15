// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// The model. This one says what a script says.
public final class SystemLanguageModel: Sendable {
  public static let `default` = SystemLanguageModel(script: [])

  /// What the model does when it is asked for the n-th time.
  let script: [[Step]]

  /// How many tokens a session may come to, prompts and answers.
  public let contextSize: Int
  private let counting: Counting
  let usage: LanguageModelSession.Usage
  /// Which model it is; from OS 27 on.
  public let variant: Variant

  /// - Parameters:
  ///   - script: For each time that it is asked, the steps of its answer.
  ///   - contextSize: How many tokens a session may come to.
  ///   - counting: How it counts tokens.
  ///   - usage: What each answer takes.
  ///   - variant: What it is called.
  public init(
    script: [[Step]], contextSize: Int = 4096, counting: Counting = .init(),
    usage: LanguageModelSession.Usage = .init(), variant: String = "Scripted 1"
  ) {
    self.script = script
    self.usage = usage
    self.variant = Variant(displayName: variant)
    self.contextSize = contextSize
    self.counting = counting
  }

  public struct Variant: Sendable, Hashable {
    public let displayName: String
  }

  /// How many tokens each entry and each tool takes, and whether nobody can say; not Apple's.
  public struct Counting: Sendable {
    var entry: Int
    var tool: Int
    var error: (any Error)?

    public init(entry: Int = 10, tool: Int = 10, error: (any Error)? = nil) {
      self.entry = entry
      self.tool = tool
      self.error = error
    }
  }

  public nonisolated(nonsending) func tokenCount(
    for transcriptEntries: some Collection<Transcript.Entry>
  ) async throws -> Int {
    if let error = counting.error { throw error }
    return transcriptEntries.count * counting.entry
  }

  public nonisolated(nonsending) func tokenCount(for tools: [any Tool]) async throws -> Int {
    if let error = counting.error { throw error }
    return tools.count * counting.tool
  }

  /// A step of an answer; not Apple's.
  public enum Step: Sendable {
    /// Calls tools at the same time; waits for all of them.
    case call([(tool: String, arguments: String)])
    /// Answers with a text, by the outputs of the tools that it called.
    case say(@Sendable (_ outputs: [String]) -> String)
    /// Streams a text, or the JSON of a structure, by these snapshots; the last is the answer.
    case stream([String])
    case fail(any Error)
    /// Waits until the task is cancelled.
    case hang
    /// Adds a thought to the transcript.
    case think(String)
  }
}

extension SystemLanguageModel.Step {
  /// Answers with a text.
  public static func say(_ text: String) -> Self { .say { _ in text } }
}
