import Keepsake

/// Pairs outputs with calls. Most calls have no id, and then an output answers the oldest waiting call of its
/// function.
struct GeminiCalls: Sendable, Codable {
  private var known = KnownCalls()
  private var waiting: [String: [String]] = [:]

  mutating func call(_ id: String?, tool: String, arguments: String) -> Entry.ToolCall {
    let call = known.call(id, tool: tool, arguments: arguments)
    waiting[tool, default: []].append(call.id)
    return call
  }

  /// Returns the id of the call that an output answers, and how that is known. The id is nil where no call waits.
  mutating func answered(_ id: String?, tool: String) -> (
    id: String?, basis: Entry.Attachment.Basis
  ) {
    guard let place = waiting[tool]?.firstIndex(where: { id == nil || $0 == id }) else {
      return (id, .recorded)
    }
    return (waiting[tool]?.remove(at: place), id == nil ? .position : .recorded)
  }
}
