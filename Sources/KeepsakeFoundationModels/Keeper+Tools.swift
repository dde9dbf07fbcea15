#if canImport(FoundationModels)
  import KeepsakeFiles
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

    /// A tool like this one of whichever type, whose runs are recorded with all that they make.
    // Where the type is known, the kept tool's is, too.
    @_disfavoredOverload
    public func keeping(_ tool: any Tool, filesFrom folders: [URL] = []) -> any Tool {
      func kept<Base: Tool>(_ tool: Base) -> any Tool {
        let kept: KeptTool<Base> = keeping(tool, filesFrom: folders)
        return kept
      }
      return kept(tool)
    }

    /// Tools like these, in their order, whose runs are recorded with all that they make.
    ///
    /// ```swift
    /// let model = LanguageModelSession(tools: keeper.keeping([GenerateImage(), FindRecipe()]))
    /// ```
    /// - Parameters:
    ///   - tools: The tools, of whichever types.
    ///   - folders: The folders from which files may be taken in; none is opened before a tool has run.
    public func keeping(_ tools: [any Tool], filesFrom folders: [URL] = []) -> [any Tool] {
      tools.map { keeping($0, filesFrom: folders) }
    }
  }
#endif
