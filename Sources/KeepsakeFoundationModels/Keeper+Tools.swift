#if canImport(FoundationModels)
  import Files
  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif
  public import FoundationModels
  import Keepsake

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension Keeper {
    /// A tool like this one, whose runs are recorded with all that they make.
    ///
    /// The tool needs no change: files in the folders that its output names are taken in before the model hears of them.
    /// A tool that knows of ``ToolRun`` can hand bytes over itself.
    ///
    /// Wrap the tools before ``transcript(fitting:references:)`` is asked for, which counts their schemas.
    /// - Parameters:
    ///   - tool: The tool.
    ///   - folders: The folders from which files may be taken in; none is opened before the tool has run.
    public func keeping<Base: Tool>(_ tool: Base, filesFrom folders: [URL] = []) -> KeptTool<Base> {
      state.withLock { $0.tools[tool.name] = tool }
      return KeptTool(tool, keeper: self, folders: folders)
    }
  }
#endif
