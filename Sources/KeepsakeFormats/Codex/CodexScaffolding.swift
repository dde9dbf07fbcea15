import Keepsake

/// Recognises texts that Codex itself inserts into a person's messages.
enum CodexScaffolding {
  /// The beginnings of such inserted texts, in lower case.
  private static let beginnings = [
    "<environment_context>", "<user_instructions>", "# agents.md instructions", "<instructions>",
    "<turn_aborted>", "<permissions", "<skill", "<collaboration_mode", "<multi_agent_mode",
    "<subagent_notification", "<apps_instructions", "<plugins_instructions", "<model_switch",
    "<personality_spec",
  ]

  /// Returns whether a prompt consists of inserted texts alone.
  static func isAll(of entry: Entry) -> Bool {
    !entry.segments.isEmpty
      && entry.segments.allSatisfy { segment in
        guard let text = segment.text else { return false }
        let start = text.drop(while: \.isWhitespace).prefix(40).lowercased()
        return beginnings.contains { start.hasPrefix($0) }
      }
  }
}
