import Keepsake

/// The answer of a tool.
enum ToolResult: Sendable {
  /// JSON for the model, of the form that the tool declares.
  case data(JSON)
  /// Text and images to be read.
  case reading([ContentBlock])
}
