extension Entry.Kind {
  /// The name of the kind for people, wherever entries are shown.
  package var name: String {
    switch self {
    case .toolCalls: "tool calls"
    case .toolOutput: "tool output"
    case .unknown: "unknown entry"
    default: rawValue
    }
  }
}
