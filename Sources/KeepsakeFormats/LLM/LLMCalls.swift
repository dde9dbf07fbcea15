import Keepsake

/// The calls of a conversation so far, so that results find theirs. Models that give calls no id answer in their order.
struct LLMCalls {
  private var known: [String: Entry.ToolCall] = [:]
  private var waiting: [Entry.ToolCall] = []

  /// Notes a call.
  /// - Parameter place: What takes the place of an id that is not there.
  mutating func call(id: String?, tool: String, arguments: String, at place: String)
    -> Entry.ToolCall
  {
    let call = Entry.ToolCall(id: id ?? place, tool: tool, arguments: arguments)
    known[call.id] = call
    waiting.append(call)
    return call
  }

  /// The call that a result answers: the one of its id, or else the first of its tool that waits.
  mutating func answered(id: String?, tool: String, at place: String) -> Entry.ToolCall {
    let index = waiting.firstIndex { id == nil ? $0.tool == tool : $0.id == id }
    let found = index.map { waiting.remove(at: $0) }
    return found ?? id.flatMap { known[$0] } ?? Entry.ToolCall(id: id ?? place, tool: tool)
  }
}
