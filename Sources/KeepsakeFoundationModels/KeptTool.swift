#if canImport(FoundationModels)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  public import FoundationModels
  import Keepsake

  /// A tool whose runs are recorded, and that looks to a model like the tool that it wraps.
  ///
  /// A run is stored with its arguments before the tool begins, and ends with the tool's output or error. The
  /// framework does not tell a tool which call it answers, so that is found out when the transcript is saved.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  public struct KeptTool<Base: Tool>: Tool {
    /// The wrapped tool.
    public let base: Base
    private let keeper: Keeper
    private let folders: [URL]

    init(_ base: Base, keeper: Keeper, folders: [URL]) {
      self.base = base
      self.keeper = keeper
      self.folders = folders
    }

    public var name: String { base.name }
    public var description: String { base.description }
    public var parameters: GenerationSchema { base.parameters }
    public var includesSchemaInInstructions: Bool { base.includesSchemaInInstructions }

    /// Records a run, and calls the wrapped tool with ``ToolRun/current`` set to that run.
    ///
    /// The arguments are taken as the model wrote them, before the tool converts them.
    @concurrent
    public func call(arguments: GeneratedContent) async throws -> Base.Output {
      let session = keeper.session
      let invocation = try await session.begin(
        .tool, name,
        .init(arguments: arguments.jsonString, implementation: String(reflecting: Base.self)),
        lane: keeper.lane)
      let run = ToolRun(session: session, invocation: invocation)
      do {
        let output = try await ToolRun.$current.withValue(run) {
          try await base.call(arguments: Base.Arguments(arguments))
        }
        let text = Self.text(of: output)
        if let text { try await run.takeIn(filesNamedIn: text, from: folders) }
        try await session.end(invocation, .finished, output: text)
        return output
      } catch {
        let isCancelled = error is CancellationError || Task.isCancelled
        try await session.end(
          invocation, isCancelled ? .cancelled : .failed, detail: String(describing: error))
        throw error
      }
    }

    /// The output as text, as far as it can be read; nil for a prompt that the framework built.
    private static func text(of output: Base.Output) -> String? {
      if let text = output as? String { return text }
      return (output as? any ConvertibleToGeneratedContent)?.generatedContent.jsonString
    }
  }

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension KeptTool: ToolWrapping {
    var baseTool: any Tool { base }
  }

  /// A kept tool of any type.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  private protocol ToolWrapping {
    var baseTool: any Tool { get }
  }

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension LanguageModelSession.ToolCallError {
    /// The app's own tool that failed: the wrapped tool of a kept tool, and any other tool itself.
    ///
    /// ```swift
    /// catch let error as LanguageModelSession.ToolCallError where error.baseTool is GenerateImage
    /// ```
    public var baseTool: any Tool { (tool as? any ToolWrapping)?.baseTool ?? tool }
  }
#endif
