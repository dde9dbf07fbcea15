/// The result of comparing a transcript that an app holds whole with the stored entries.
///
/// Entries match by key or else by content, and in order. The transcript may lack stored entries anywhere: an app trims
/// its front, restarts with the instructions and the last turns, or never shows attempts that failed. But what is new
/// must stand at the end. Otherwise, the transcript and the stored entries diverge.
struct SaveAlignment: Equatable {
  /// The facts about an entry that the comparison needs, for both sides.
  struct Item: Equatable {
    var key: String?
    var fingerprint: Int
    /// Tells whether a list may lack this stored entry, such as a failed attempt or an app's own status line.
    var isOptional = false
    /// Tells whether the entry is instructions, which are not part of the conversation itself.
    var isInstructions = false
  }

  enum Outcome: Equatable {
    /// The list extends what is stored. `matched` has the stored index of each entry that matches; later entries are
    /// new.
    case extends(matched: [Int])
    /// The list differs from what is stored from a stored index on, and extends what stands before. `matched` has the stored
    /// index of each entry of the list that stands before.
    case diverges(stored: Int, matched: [Int])
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
    let parting = matched.last { !stored[$0].isOptional }.map { $0 + 1 } ?? 0
    return .diverges(stored: parting, matched: matched.filter { $0 < parting })
  }

  /// Returns the stored index of each matching entry, for a list whose first entry is the first stored one.
  ///
  /// The list may lack entries that others stored after that.
  static func alignTurn(_ list: [Item], with stored: [Item]) -> [Int] {
    if list.isEmpty || stored.isEmpty { return [] }
    return tail(of: list, in: stored, after: [0], Set(stored.compactMap(\.key)))
  }

  /// Finds the longest beginning of the list that is stored in order, and places each entry as early as possible.
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

  /// Places entries that are known to be stored in order as late as possible, because a list is trimmed at its front.
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

  /// Matches optional entries that the list shows after the last entry that both sides must have.
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
  /// A number that is the same, in this process, for entries of equal content, and rarely for others.
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
