#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Usage {
  /// Reads what a service reported: OpenAI's, Anthropic's and Google's shapes, and those of frameworks around them.
  ///
  /// The report itself is kept to the letter as ``source``, also one of a shape that is not known. An object of the members
  /// `input`, `cachedInput`, `output`, `reasoning`, `cost` and `source` says what they say here.
  public init(reported source: JSON) {
    if let own = Usage(own: source) {
      self = own
      return
    }
    self.init(source: source)
    guard let shape = UsageShape.all.first(where: { $0.fits(source) }) else { return }
    input = shape.sum(shape.input, in: source)
    cachedInput = shape.first(shape.cachedInput, in: source)
    output = shape.sum(shape.output, in: source)
    reasoning = shape.first(shape.reasoning, in: source)
    if let amount = source["cost_usd"].flatMap(Decimal.init(json:)) { cost = Cost(amount, "USD") }
  }
}

/// Where a service says how many tokens it took.
struct UsageShape: Sendable {
  /// A report is of this shape when it has one of these.
  let marks: [Path]
  /// All of them together are what the model read: some services count what came from a cache, and tools, apart.
  let input: [Path]
  /// The first that is there.
  let cachedInput: [Path]
  /// All of them together are what the model wrote: some services count its reasoning apart.
  let output: [Path]
  /// The first that is there.
  let reasoning: [Path]

  typealias Path = [String]

  /// In this order: of two shapes with a common mark, the one with more to say comes first.
  static let all: [UsageShape] = [
    // OpenAI's Chat Completions, and who speaks them.
    .init(
      marks: [["prompt_tokens"]], input: [["prompt_tokens"]],
      cachedInput: [["prompt_tokens_details", "cached_tokens"], ["cached_tokens"]],
      output: [["completion_tokens"]],
      reasoning: [["completion_tokens_details", "reasoning_tokens"]]),
    // Anthropic: what comes from a cache, or goes into it, is counted apart.
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
    // Gemini: thoughts, and what tools put into the prompt, are counted apart.
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

  /// nil where there is none of them.
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

  /// How many a number says; nil for what counts nothing.
  static func count(_ json: JSON) -> Int? {
    json.intValue.flatMap { $0 < 0 ? nil : Int(exactly: $0) }
  }
}
