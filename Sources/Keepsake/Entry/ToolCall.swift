#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Entry {
  /// A named request to a tool, with its arguments as the model wrote them.
  public struct ToolCall: Sendable, Hashable, Codable, Identifiable {
    /// The id that outputs answer to. Foreign ids repeat; an output answers the nearest earlier call that waits.
    public var id: String
    public var tool: String
    /// JSON by convention, kept to the letter: spacing, key order and mistakes included.
    public var arguments: String

    public init(id: String = UUID().uuidString.lowercased(), tool: String, arguments: String = "{}")
    {
      self.id = id
      self.tool = tool
      self.arguments = arguments
    }
  }
}
