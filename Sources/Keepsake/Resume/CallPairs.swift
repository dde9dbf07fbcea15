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
    var newest: Int?
    for (index, entry) in entries.enumerated() {
      if !entry.toolCalls.isEmpty {
        newest = index
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
        } else if let newest {
          // A format without ids: the outputs come in the order of the calls.
          entries[newest].toolCalls.indices.lazy.map { Call(entry: newest, ordinal: $0) }.first {
            outputs[$0] == nil && entries[newest].toolCalls[$0.ordinal].tool == entry.tool
          }
        } else {
          nil
        }
      guard let call else { continue }
      calls[index] = call
      outputs[call, default: []].append(index)
    }
  }
}
