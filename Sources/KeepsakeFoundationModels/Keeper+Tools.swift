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
    /// Wraps a tool, so that its runs are recorded with everything that they make.
    ///
    /// The tool itself needs no change: files in the given folders that its output names are attached before the
    /// model gets the output. A tool that uses ``ToolRun`` can attach bytes itself.
    ///
    /// Wrap the tools before you call ``transcript(fitting:references:)``, which counts their schemas.
    /// - Parameters:
    ///   - tool: The tool.
    ///   - folders: The folders whose files may be attached; none is opened before the tool has run.
    /// - Returns: The wrapped tool.
    public func keeping<Base: Tool>(_ tool: Base, filesFrom folders: [URL] = []) -> KeptTool<Base> {
      state.withLock { $0.tools[tool.name] = tool }
      return KeptTool(tool, keeper: self, folders: folders)
    }

    /// Wraps a tool of any type, so that its runs are recorded with everything that they make.
    /// - Parameters:
    ///   - tool: The tool.
    ///   - folders: The folders whose files may be attached; none is opened before the tool has run.
    /// - Returns: The wrapped tool.
    // Where the tool's type is known, the generic overload is preferred, which keeps the type.
    @_disfavoredOverload
    public func keeping(_ tool: any Tool, filesFrom folders: [URL] = []) -> any Tool {
      func kept<Base: Tool>(_ tool: Base) -> any Tool {
        let kept: KeptTool<Base> = keeping(tool, filesFrom: folders)
        return kept
      }
      return kept(tool)
    }

    /// Wraps tools, so that their runs are recorded with everything that they make.
    ///
    /// ```swift
    /// let model = LanguageModelSession(tools: keeper.keeping([GenerateImage(), FindRecipe()]))
    /// ```
    /// - Parameters:
    ///   - tools: The tools, which may have different types.
    ///   - folders: The folders whose files may be attached; none is opened before a tool has run.
    /// - Returns: The wrapped tools, in the same order.
    public func keeping(_ tools: [any Tool], filesFrom folders: [URL] = []) -> [any Tool] {
      tools.map { keeping($0, filesFrom: folders) }
    }
  }
#endif
