/// How a transcript that an app holds whole lies against what is stored.
///
/// Entries match by key, then by content, and in order. The list may lack stored entries anywhere (an app trims its
/// front, restarts with the instructions and the last turns, never shows attempts that failed), but what is new in it
/// must stand at its end: otherwise it tells another story than the one that is stored.
struct SaveAlignment: Equatable {
  /// What alignment needs of an entry, on either side.
  struct Item: Equatable {
    var key: String?
    var fingerprint: Int
    /// Stored, and not missed where the list does not have it: a failed attempt, an app's own status line.
    var isOptional = false
    /// What the model was told, and no part of what was said since.
    var isInstructions = false
  }

  enum Outcome: Equatable {
    /// The stored index of each list entry that matches; the rest, from `matched.count` on, is new.
    case extends(matched: [Int])
    /// The list goes another way than what is stored from this stored index on; it extends what stands before that.
    case diverges(stored: Int)
  }

  static func align(_ list: [Item], with stored: [Item]) -> Outcome {
    let keys = Set(stored.compactMap(\.key))
    guard let last = stored.lastIndex(where: { !$0.isOptional }) else {
      return .extends(matched: tail(of: list, in: stored, after: [], keys))
    }
    // Of the list's entries that may be the last one that both must have, the newest; what stands before it must be
    // stored before that, in order.
    let before = leading(list, in: stored[..<last], keys).count
    if let newest = list[..<min(list.count, before + 1)].lastIndex(where: {
      matches($0, stored[last], keys)
    }) {
      let matched = trailing(list[..<newest], in: stored[..<last], keys) + [last]
      return .extends(matched: tail(of: list, in: stored, after: matched, keys))
    }
    let matched = leading(list, in: stored[...], keys)
    // The list does not reach what is stored last: it is an older state of it, or it goes another way.
    if matched.count == list.count { return .extends(matched: matched) }
    let parting = matched.last { !stored[$0].isOptional }
    return .diverges(stored: parting.map { $0 + 1 } ?? 0)
  }

  /// The stored index of each list entry that matches, of a list whose first entry is the first that is stored. What
  /// others stored behind it is not missed.
  static func alignTurn(_ list: [Item], with stored: [Item]) -> [Int] {
    if list.isEmpty || stored.isEmpty { return [] }
    return tail(of: list, in: stored, after: [0], Set(stored.compactMap(\.key)))
  }

  /// Where the list's longest beginning that is stored in order is, each entry as early as can be.
  private static func leading(
    _ list: [Item], in stored: ArraySlice<Item>, _ keys: Set<String>
  ) -> [Int] {
    var matched: [Int] = []
    var next = stored.startIndex
    for item in list {
      guard let found = stored[next...].firstIndex(where: { matches(item, $0, keys) }) else {
        break
      }
      matched.append(found)
      next = found + 1
    }
    return matched
  }

  /// Where entries that are known to be stored in order are, each as late as can be: a list was trimmed at its front.
  private static func trailing(
    _ list: ArraySlice<Item>, in stored: ArraySlice<Item>, _ keys: Set<String>
  ) -> [Int] {
    var matched: [Int] = []
    var end = stored.endIndex
    for item in list.reversed() {
      guard let found = stored[..<end].lastIndex(where: { matches(item, $0, keys) }) else { break }
      matched.append(found)
      end = found
    }
    return matched.reversed()
  }

  /// After the last entry that both must have, a list may still show some that only we thought optional.
  private static func tail(
    of list: [Item], in stored: [Item], after matched: [Int], _ keys: Set<String>
  ) -> [Int] {
    var matched = matched
    var next = (matched.last ?? -1) + 1
    while matched.count < list.count,
      let found = stored[next...].firstIndex(where: { matches(list[matched.count], $0, keys) })
    {
      matched.append(found)
      next = found + 1
    }
    return matched
  }

  private static func matches(_ item: Item, _ stored: Item, _ keys: Set<String>) -> Bool {
    if let key = item.key, keys.contains(key) { return stored.key?.isSameText(as: key) ?? false }
    return item.fingerprint == stored.fingerprint
  }
}

extension Entry {
  /// A number that entries of equal content share, in this process; others rarely.
  var fingerprint: Int {
    var hasher = Hasher()
    hasher.combine(kind)
    for segment in segments {
      switch segment.content {
      case .text(let text): hasher.combine(text)
      case .structure(let json, let schema):
        hasher.combine(schema)
        // The order of members does not count, so neither may that of the bytes.
        hasher.combine(json.minified.bytes.reduce(0) { $0 &+ Int($1) })
      case .attachment(let index): hasher.combine(index)
      case .opaque(let json, let type):
        hasher.combine(type)
        hasher.combine(json)
      }
    }
    for call in toolCalls {
      hasher.combine(call.tool)
      hasher.combine(call.arguments)
    }
    hasher.combine(tool)
    hasher.combine(lane)
    return hasher.finalize()
  }
}
