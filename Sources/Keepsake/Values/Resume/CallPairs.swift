/// Pairs the tool outputs of a list with their calls: the nearest earlier call with the id that waits, or else the nearest.
struct CallPairs {
  /// A tool call, by the index of its entry and its ordinal in the entry.
  struct Call: Hashable {
    let entry: Int
    let ordinal: Int
  }

  /// The calls, by the indexes of their outputs.
  private(set) var calls: [Int: Call] = [:]
  /// The indexes of the outputs, by call, in the order of the list.
  private(set) var outputs: [Call: [Int]] = [:]

  init(_ entries: [Entry]) {
    /// The calls that wait for an output, by id; the nearest is last.
    var waiting: [String: [Call]] = [:]
    var nearest: [String: Call] = [:]
    var newest: CallsWithoutIDs?
    for (index, entry) in entries.enumerated() {
      if !entry.toolCalls.isEmpty {
        newest = CallsWithoutIDs(entry: index)
        for (ordinal, call) in entry.toolCalls.enumerated().reversed() {
          let reference = Call(entry: index, ordinal: ordinal)
          waiting[call.id, default: []].append(reference)
          nearest[call.id] = reference
        }
      }
      guard entry.kind == .toolOutput, !entry.isErased else { continue }
      let call: Call? =
        if let id = entry.callID {
          waiting[id]?.popLast() ?? nearest[id]
        } else {
          // In a format without ids, outputs come in the order of the calls.
          newest?.next(of: entry.tool, in: entries) { outputs[$0] == nil }
        }
      guard let call else { continue }
      calls[index] = call
      outputs[call, default: []].append(index)
    }
  }
}

/// The calls of one entry, for outputs that name a tool and no call; each tool's calls are taken in order.
private struct CallsWithoutIDs {
  let entry: Int
  /// The ordinals of the calls not taken yet, by tool, the next one last; nil before the first use.
  private var waiting: [String: [Int]]?

  init(entry: Int) { self.entry = entry }

  /// Takes the first call of a tool that waits for an output.
  mutating func next(
    of tool: String?, in entries: [Entry], where waits: (CallPairs.Call) -> Bool
  ) -> CallPairs.Call? {
    guard let tool else { return nil }
    var waiting = waiting.take() ?? Self.ordinals(of: entries[entry].toolCalls)
    defer { self.waiting = waiting }
    // A call that does not wait any more will not wait again.
    while let ordinal = waiting[tool]?.popLast() {
      let call = CallPairs.Call(entry: entry, ordinal: ordinal)
      if waits(call) { return call }
    }
    return nil
  }

  private static func ordinals(of calls: [Entry.ToolCall]) -> [String: [Int]] {
    var ordinals: [String: [Int]] = [:]
    for (ordinal, call) in calls.enumerated().reversed() {
      ordinals[call.tool, default: []].append(ordinal)
    }
    return ordinals
  }
}
