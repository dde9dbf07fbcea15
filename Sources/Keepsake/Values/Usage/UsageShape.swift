/// The places of token counts in one form of report.
struct UsageShape: Sendable {
  /// The marks of the form: a report with a value at one of these paths has the form.
  let marks: [Path]
  /// The paths whose sum is the input, because some services count cached tokens and tools separately.
  let input: [Path]
  /// The paths of the cached input, of which the first with a value counts.
  let cachedInput: [Path]
  /// The paths whose sum is the output, because some services count reasoning separately.
  let output: [Path]
  /// The paths of the reasoning, of which the first with a value counts.
  let reasoning: [Path]

  typealias Path = [String]

  /// All known forms; of two forms with a common mark, the one with more details comes first.
  static let all: [UsageShape] = [
    // OpenAI's Chat Completions, and services with the same interface.
    .init(
      marks: [["prompt_tokens"]], input: [["prompt_tokens"]],
      cachedInput: [["prompt_tokens_details", "cached_tokens"], ["cached_tokens"]],
      output: [["completion_tokens"]],
      reasoning: [["completion_tokens_details", "reasoning_tokens"]]),
    // Anthropic, which counts tokens from and into a cache separately.
    .init(
      marks: [["cache_read_input_tokens"], ["cache_creation_input_tokens"]],
      input: [
        ["input_tokens"], ["cache_creation_input_tokens"], ["cache_read_input_tokens"],
      ],
      cachedInput: [["cache_read_input_tokens"]], output: [["output_tokens"]],
      reasoning: [["output_tokens_details", "thinking_tokens"]]),
    // OpenAI's Responses, Codex, LangChain.
    .init(
      marks: [["input_tokens"], ["output_tokens"]], input: [["input_tokens"]],
      cachedInput: [
        ["input_tokens_details", "cached_tokens"], ["cached_input_tokens"],
        ["input_token_details", "cache_read"],
      ],
      output: [["output_tokens"]],
      reasoning: [
        ["output_tokens_details", "reasoning_tokens"], ["reasoning_output_tokens"],
        ["output_token_details", "reasoning"], ["output_tokens_details", "thinking_tokens"],
      ]),
    // Gemini, which counts thoughts, and the input of tools, separately.
    .init(
      marks: [["promptTokenCount"], ["candidatesTokenCount"]],
      input: [["promptTokenCount"], ["toolUsePromptTokenCount"]],
      cachedInput: [["cachedContentTokenCount"]],
      output: [["candidatesTokenCount"], ["thoughtsTokenCount"]],
      reasoning: [["thoughtsTokenCount"]]),
    .init(
      marks: [["prompt_token_count"], ["candidates_token_count"]],
      input: [["prompt_token_count"], ["tool_use_prompt_token_count"]],
      cachedInput: [["cached_content_token_count"]],
      output: [["candidates_token_count"], ["thoughts_token_count"]],
      reasoning: [["thoughts_token_count"]]),
    // Gemini CLI.
    .init(
      marks: [["thoughts"]], input: [["input"], ["tool"]], cachedInput: [["cached"]],
      output: [["output"], ["thoughts"]], reasoning: [["thoughts"]]),
    // Vercel's AI SDK.
    .init(
      marks: [["inputTokens"], ["outputTokens"]],
      input: [["inputTokens"], ["inputTokens", "total"]],
      cachedInput: [["cachedInputTokens"], ["inputTokens", "cacheRead"]],
      output: [["outputTokens"], ["outputTokens", "total"]],
      reasoning: [["reasoningTokens"], ["outputTokens", "reasoning"]]),
    // Apple's Foundation Models.
    .init(
      marks: [["input", "totalTokenCount"]], input: [["input", "totalTokenCount"]],
      cachedInput: [["input", "cachedTokenCount"]], output: [["output", "totalTokenCount"]],
      reasoning: [["output", "reasoningTokenCount"]]),
  ]

  func fits(_ report: JSON) -> Bool { marks.contains { Self.value(at: $0, in: report) != nil } }

  /// Returns the sum of the counts at some paths; nil if there are none, or the sum is too large.
  func sum(_ paths: [Path], in report: JSON) -> Int? {
    var sum: Int?
    for path in paths {
      guard let count = Self.value(at: path, in: report).flatMap(Self.count) else { continue }
      let (next, isTooLarge) = (sum ?? 0).addingReportingOverflow(count)
      if isTooLarge { return nil }
      sum = next
    }
    return sum
  }

  func first(_ paths: [Path], in report: JSON) -> Int? {
    for path in paths {
      if let count = Self.value(at: path, in: report).flatMap(Self.count) { return count }
    }
    return nil
  }

  private static func value(at path: Path, in report: JSON) -> JSON? {
    var value = report
    for name in path {
      guard let next = value[name] else { return nil }
      value = next
    }
    return value
  }

  /// Returns the count that a number gives; nil for other values and negative numbers.
  static func count(_ json: JSON) -> Int? {
    json.intValue.flatMap { $0 < 0 ? nil : Int(exactly: $0) }
  }
}
