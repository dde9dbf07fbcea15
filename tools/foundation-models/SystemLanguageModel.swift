// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

/// The model. This one says what a script says.
public final class SystemLanguageModel: Sendable {
  public static let `default` = SystemLanguageModel(script: [])

  /// What the model does when it is asked for the n-th time.
  let script: [[Step]]

  /// - Parameter script: For each time that it is asked, the steps of its answer.
  public init(script: [[Step]]) { self.script = script }

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
