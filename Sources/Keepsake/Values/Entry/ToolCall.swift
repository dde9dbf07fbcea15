#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Entry {
  /// A named request to a tool, with the arguments as the model wrote them.
  public struct ToolCall: Sendable, Hashable, Codable, Identifiable {
    /// The id to which outputs refer; foreign ids may repeat, so an output answers the nearest earlier call without output.
    public var id: String
    /// The name of the tool.
    public var tool: String
    /// The arguments, JSON by convention, kept to the letter with spacing, key order and mistakes.
    public var arguments: String

    /// Creates a tool call; the id is random by default.
    public init(id: String = UUID().uuidString.lowercased(), tool: String, arguments: String = "{}")
    {
      self.id = id
      self.tool = tool
      self.arguments = arguments
    }
  }
}
