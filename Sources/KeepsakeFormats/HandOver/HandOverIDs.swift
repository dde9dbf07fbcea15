#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Renames calls to ids that every service accepts: letters, digits, `_` and `-`, at most 64 of them, and none used
/// twice.
struct HandOverIDs {
  private var used: Set<String> = []
  /// The new ids of calls without an output yet, by the old id, the oldest call first.
  private var names: [String: [String]] = [:]

  /// Renames the calls of an entry, or the call that an output names.
  /// - Returns: False for an output without a call, or whose call already has an output; otherwise true.
  mutating func rename(in entry: inout OutgoingEntry, _ losses: inout Losses) -> Bool {
    for index in entry.entry.toolCalls.indices {
      let old = entry.entry.toolCalls[index].id
      let new = free(old)
      names[old, default: []].append(new)
      if new == old { continue }
      losses.add(.ids)
      let call = entry.entry.toolCalls[index]
      entry.entry.toolCalls[index] = Entry.ToolCall(
        id: new, tool: call.tool, arguments: call.arguments)
    }
    guard entry.entry.kind == .toolOutput else { return true }
    guard let id = entry.entry.callID, let new = names[id]?.first else { return false }
    names[id]?.removeFirst()
    entry.entry.callID = new
    return true
  }

  private mutating func free(_ id: String) -> String {
    var plain = String(
      id.unicodeScalars.prefix(60).map { Self.isPlain($0) ? Character($0) : "_" })
    if plain.isEmpty { plain = "call" }
    var new = plain
    var number = 2
    while !used.insert(new).inserted {
      new = "\(plain)_\(number)"
      number += 1
    }
    return new
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }
}
