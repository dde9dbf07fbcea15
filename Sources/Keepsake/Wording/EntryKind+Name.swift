extension Entry.Kind {
  /// What a person reads wherever entries of the kind are shown.
  package var name: String {
    switch self {
    case .toolCalls: "tool calls"
    case .toolOutput: "tool output"
    case .unknown: "unknown entry"
    default: rawValue
    }
  }
}
