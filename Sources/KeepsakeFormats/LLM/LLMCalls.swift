import Keepsake

/// Pairs results with the calls of a conversation. A result without an id answers the first waiting call of its tool.
struct LLMCalls {
  private var known: [String: Entry.ToolCall] = [:]
  private var waiting: [Entry.ToolCall] = []

  /// Notes a call.
  /// - Parameter place: The id that the call gets where it has none.
  mutating func call(id: String?, tool: String, arguments: String, at place: String)
    -> Entry.ToolCall
  {
    let call = Entry.ToolCall(id: id ?? place, tool: tool, arguments: arguments)
    known[call.id] = call
    waiting.append(call)
    return call
  }

  /// The call that a result answers: the call with the result's id, else the first waiting call of its tool.
  mutating func answered(id: String?, tool: String, at place: String) -> Entry.ToolCall {
    let index = waiting.firstIndex { id == nil ? $0.tool == tool : $0.id == id }
    let found = index.map { waiting.remove(at: $0) }
    return found ?? id.flatMap { known[$0] } ?? Entry.ToolCall(id: id ?? place, tool: tool)
  }
}
