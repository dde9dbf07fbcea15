/// Which outputs of a list answer which calls: each the nearest earlier call with its id that waits, else the nearest.
struct CallPairs {
  struct Call: Hashable {
    let entry: Int
    let ordinal: Int
  }

  /// By the index of an output.
  private(set) var calls: [Int: Call] = [:]
  /// By call, in the order of the list.
  private(set) var outputs: [Call: [Int]] = [:]

  init(_ entries: [Entry]) {
    /// By id, the nearest last.
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
          // A format without ids: the outputs come in the order of the calls.
          newest?.next(of: entry.tool, in: entries) { outputs[$0] == nil }
        }
      guard let call else { continue }
      calls[index] = call
      outputs[call, default: []].append(index)
    }
  }
}

/// The calls of one entry, for outputs that name a tool and no call: each tool's in their order.
private struct CallsWithoutIDs {
  let entry: Int
  /// By tool: the ordinals that were not given out yet, the next one last; nil until somebody asks.
  private var waiting: [String: [Int]]?

  init(entry: Int) { self.entry = entry }

  /// The first call of a tool that waits for its output.
  mutating func next(
    of tool: String?, in entries: [Entry], where waits: (CallPairs.Call) -> Bool
  ) -> CallPairs.Call? {
    guard let tool else { return nil }
    var waiting = waiting.take() ?? Self.ordinals(of: entries[entry].toolCalls)
    defer { self.waiting = waiting }
    // One that does not wait any more never will again.
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
