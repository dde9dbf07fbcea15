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
