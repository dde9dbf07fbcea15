#if canImport(FoundationModels)
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
    /// - Parameters:
    ///   - tool: The tool.
    ///   - folders: The folders from which files may be taken in; none is opened before the tool has run.
    public func keeping<Base: Tool>(_ tool: Base, filesFrom folders: [URL] = []) -> KeptTool<Base> {
      KeptTool(tool, keeper: self, folders: folders)
    }
  }
#endif
