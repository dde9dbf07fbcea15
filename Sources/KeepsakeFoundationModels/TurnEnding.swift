#if canImport(FoundationModels)
  import FoundationModels
  import Keepsake

  /// How a turn that brought no answer is recorded.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  struct TurnEnding {
    let outcome: Turn.Outcome
    let detail: String?

    private init(_ outcome: Turn.Outcome, _ detail: String?) {
      self.outcome = outcome
      self.detail = detail
    }

    /// A refusal is asked for its explanation, which may ask the model.
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
      case let error as LanguageModelSession.GenerationError:
        await self.init(error)
      default:
        // Whatever a framework throws when its task is cancelled.
        self.init(Task.isCancelled ? .cancelled : .failed, String(describing: error))
      }
    }

    private init(_ error: LanguageModelSession.GenerationError) async {
      switch error {
      case .guardrailViolation(let context):
        self.init(.refused, "A guardrail stopped it: \(context.debugDescription)")
      case .exceededContextWindowSize(let context):
        self.init(.failed, "The context window was exceeded: \(context.debugDescription)")
      case .refusal(let refusal, let context):
        do {
          self.init(.refused, try await refusal.explanation.content)
        } catch {
          self.init(.refused, context.debugDescription)
        }
      default:
        self.init(Task.isCancelled ? .cancelled : .failed, String(describing: error))
      }
    }
  }
#endif
