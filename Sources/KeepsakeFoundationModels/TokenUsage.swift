#if canImport(FoundationModels)
  import FoundationModels
  import Keepsake

  /// What the answers of a model session took so far, as the framework reports it from OS 27 on.
  struct TokenUsage: Sendable, Equatable {
    var input = 0
    var cachedInput = 0
    var output = 0
    var reasoning = 0

    init() {}

    /// nil before OS 27, and in a program that was built with an earlier SDK.
    @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
    @available(tvOS, unavailable)
    init?(of model: LanguageModelSession) {
      // With this compiler came the SDK of OS 27.
      #if compiler(>=6.4) || os(Linux)
        if #available(macOS 27, iOS 27, visionOS 27, watchOS 27, *) {
          let usage = model.usage
          input = usage.input.totalTokenCount
          cachedInput = usage.input.cachedTokenCount
          output = usage.output.totalTokenCount
          reasoning = usage.output.reasoningTokenCount
          return
        }
      #endif
      return nil
    }

    /// What came to it, with the framework's words; nil where nothing did.
    func added(since earlier: TokenUsage) -> Usage? {
      guard input >= earlier.input, output >= earlier.output, self != earlier else { return nil }
      func number(_ count: KeyPath<TokenUsage, Int>) -> JSON {
        .number(Int64(self[keyPath: count] - earlier[keyPath: count]))
      }
      let source: JSON = [
        "input": ["totalTokenCount": number(\.input), "cachedTokenCount": number(\.cachedInput)],
        "output": [
          "totalTokenCount": number(\.output), "reasoningTokenCount": number(\.reasoning),
        ],
      ]
      return Usage(reported: source)
    }
  }
#endif
