#if canImport(FoundationModels)
  import FoundationModels
  import Keepsake

  /// The usage of a model session so far, as the framework reports it from OS 27 on.
  struct TokenUsage: Sendable, Equatable {
    var input = 0
    var cachedInput = 0
    var output = 0
    var reasoning = 0

    init() {}

    /// Reads the usage of a model session; nil before OS 27, and in a program that was built with an earlier SDK.
    @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
    @available(tvOS, unavailable)
    init?(of model: LanguageModelSession) {
      // This compiler came with the SDK of OS 27.
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

    /// The usage since an earlier state, in the framework's own terms; nil where nothing was added.
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
