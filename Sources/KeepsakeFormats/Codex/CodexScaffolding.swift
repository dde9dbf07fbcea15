import Keepsake

/// What Codex itself puts into what the person says.
enum CodexScaffolding {
  /// How such texts begin, in small letters.
  private static let beginnings = [
    "<environment_context>", "<user_instructions>", "# agents.md instructions", "<instructions>",
    "<turn_aborted>", "<permissions", "<skill", "<collaboration_mode", "<multi_agent_mode",
    "<subagent_notification", "<apps_instructions", "<plugins_instructions", "<model_switch",
    "<personality_spec",
  ]

  /// Whether nothing in a prompt is of the person.
  static func isAll(of entry: Entry) -> Bool {
    !entry.segments.isEmpty
      && entry.segments.allSatisfy { segment in
        guard let text = segment.text else { return false }
        let start = text.drop(while: \.isWhitespace).prefix(40).lowercased()
        return beginnings.contains { start.hasPrefix($0) }
      }
  }
}
