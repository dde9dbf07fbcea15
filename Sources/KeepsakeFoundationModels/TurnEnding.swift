#if canImport(FoundationModels)
  import FoundationModels
  import Keepsake

  /// The outcome and the detail of a turn that brought no answer.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  struct TurnEnding {
    let outcome: Turn.Outcome
    let detail: String?

    private init(_ outcome: Turn.Outcome, _ detail: String?) {
      self.outcome = outcome
      self.detail = detail
    }

    /// Creates the ending for an error. For a refusal, the model may be asked for an explanation.
    init(_ error: any Error) async {
      switch error {
      case is CancellationError:
        self.init(.cancelled, nil)
      case let error as LanguageModelSession.ToolCallError:
        if error.underlyingError is CancellationError {
          self.init(.cancelled, "The tool '\(error.tool.name)' was cancelled.")
        } else {
          self.init(.failed, "The tool '\(error.tool.name)' failed: \(error.underlyingError)")
        }
      default:
        if let ending = await Self.ofGeneration(error) {
          self = ending
        } else if let failure = NamedFailure(error) {
          self.init(failure, explanation: await Self.explanation(of: error))
        } else {
          self.init(Self.failed, String(describing: error))
        }
      }
    }

    /// The outcome of a failure: cancelled where the task was cancelled, because a framework may throw any error
    /// then.
    private static var failed: Turn.Outcome { Task.isCancelled ? .cancelled : .failed }

    /// The ending for an error of OS 26; nil for any other error.
    private static func ofGeneration(_ error: any Error) async -> TurnEnding? {
      // watchOS does not have the error type.
      #if !os(watchOS)
        guard let error = error as? LanguageModelSession.GenerationError else { return nil }
        switch error {
        case .guardrailViolation(let context):
          return .guardrail(context.debugDescription)
        case .exceededContextWindowSize(let context):
          return .window(context.debugDescription)
        case .refusal(let refusal, let context):
          do {
            return TurnEnding(.refused, try await refusal.explanation.content)
          } catch {
            return TurnEnding(.refused, context.debugDescription)
          }
        default:
          return TurnEnding(failed, String(describing: error))
        }
      #else
        return nil
      #endif
    }

    /// The ending for an error of OS 27, by the name of the error's case. An unknown case counts as failed, and the
    /// detail names it.
    private init(_ failure: NamedFailure, explanation: String?) {
      switch failure.name {
      case "refusal": self.init(.refused, explanation ?? failure.detail)
      case "guardrailViolation": self = .guardrail(failure.detail)
      case "contextSizeExceeded": self = .window(failure.detail)
      default: self.init(Self.failed, "The model failed (\(failure.name)): \(failure.detail)")
      }
    }

    /// The model's explanation of its refusal; nil where it can't be asked.
    private static func explanation(of error: any Error) async -> String? {
      // This compiler came with the SDK of OS 27.
      #if compiler(>=6.4) || os(Linux)
        if #available(macOS 27, iOS 27, visionOS 27, watchOS 27, *) {
          guard case .refusal(let refusal)? = error as? LanguageModelError else { return nil }
          do { return try await refusal.explanation.content } catch { return nil }
        }
      #endif
      return nil
    }

    private static func guardrail(_ detail: String) -> TurnEnding {
      TurnEnding(.refused, "A guardrail stopped it: \(detail)")
    }

    private static func window(_ detail: String) -> TurnEnding {
      TurnEnding(.failed, "The context window was exceeded: \(detail)")
    }
  }
#endif
