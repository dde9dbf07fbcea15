// A stand-in for Apple's framework, for checking the adapter where that does not exist. It ships with nothing.

public import Foundation

extension LanguageModelSession {
  public enum GenerationError: Error, LocalizedError {
    public struct Context: Sendable {
      public let debugDescription: String

      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    public struct Refusal: Sendable {
      let text: String?

      public init(transcriptEntries: [Transcript.Entry]) {
        text =
          transcriptEntries.compactMap { entry in
            if case .response(let response) = entry, case .text(let text)? = response.segments.first
            {
              return text.content
            }
            return nil
          }.first
      }

      /// Apple's asks the model for it.
      public var explanation: Response<String> {
        get async throws {
          guard let text else { throw CancellationError() }
          return Response(content: text, rawContent: text.generatedContent, transcriptEntries: [])
        }
      }
    }

    case exceededContextWindowSize(Context)
    case assetsUnavailable(Context)
    case guardrailViolation(Context)
    case unsupportedGuide(Context)
    case unsupportedLanguageOrLocale(Context)
    case decodingFailure(Context)
    case rateLimited(Context)
    case concurrentRequests(Context)
    case refusal(Refusal, Context)
  }

  public struct ToolCallError: Error, LocalizedError {
    public var tool: any Tool
    public var underlyingError: any Error

    public init(tool: any Tool, underlyingError: any Error) {
      self.tool = tool
      self.underlyingError = underlyingError
    }
  }
}

/// What OS 27 throws in the place of `LanguageModelSession.GenerationError`.
public enum LanguageModelError: LocalizedError, CustomDebugStringConvertible {
  public struct ContextSizeExceeded: Sendable {
    public var contextSize: Int
    public var tokenCount: Int
    public var debugDescription: String

    public init(contextSize: Int, tokenCount: Int, debugDescription: String) {
      self.contextSize = contextSize
      self.tokenCount = tokenCount
      self.debugDescription = debugDescription
    }
  }

  public struct GuardrailViolation: Sendable {
    public var debugDescription: String

    public init(debugDescription: String) { self.debugDescription = debugDescription }
  }

  public struct Refusal: Sendable {
    public var debugDescription: String
    let text: String

    public init(explanation: String, debugDescription: String) {
      self.debugDescription = debugDescription
      text = explanation
    }

    /// Fails without a text, as Apple's does when the model can't be asked for it.
    public nonisolated(nonsending) var explanation: LanguageModelSession.Response<String> {
      get async throws {
        if text.isEmpty { throw CancellationError() }
        return .init(content: text, rawContent: text.generatedContent, transcriptEntries: [])
      }
    }
  }

  public struct Timeout: Sendable {
    public var debugDescription: String

    public init(debugDescription: String) { self.debugDescription = debugDescription }
  }

  case contextSizeExceeded(ContextSizeExceeded)
  case guardrailViolation(GuardrailViolation)
  case refusal(Refusal)
  case timeout(Timeout)

  public var debugDescription: String { "a language model error" }
}
