#if canImport(FoundationModels)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  public import FoundationModels
  import Keepsake

  /// A tool whose runs are recorded. To a model it is the tool that it wraps.
  ///
  /// A run is stored before the tool begins, with its arguments, and ends with its output or its error. The framework
  /// does not tell a tool which call it answers: that is found out when the transcript is saved.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  public struct KeptTool<Base: Tool>: Tool {
    /// The tool that it wraps.
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

    /// Records a run, and runs the tool in it, where ``ToolRun/current`` is that run.
    ///
    /// Takes the arguments as the model wrote them, before the tool makes its own of them.
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

    /// What the model is given, as far as it can be read; nil for a prompt of the framework's own making.
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

  /// A kept tool of whichever type.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  private protocol ToolWrapping {
    var baseTool: any Tool { get }
  }

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension LanguageModelSession.ToolCallError {
    /// The app's own tool that failed: the one that a kept tool wraps, any other as it is.
    ///
    /// ```swift
    /// catch let error as LanguageModelSession.ToolCallError where error.baseTool is GenerateImage
    /// ```
    public var baseTool: any Tool { (tool as? any ToolWrapping)?.baseTool ?? tool }
  }
#endif
