import Keepsake

/// What a tool gives back.
enum ToolResult: Sendable {
  /// JSON for the model, of the form that the tool declares.
  case data(JSON)
  /// Text and images to be read.
  case reading([ContentBlock])
}
