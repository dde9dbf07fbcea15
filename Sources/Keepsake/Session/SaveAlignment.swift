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
  }

  enum Outcome: Equatable {
    /// The stored index of each list entry that matches; the rest, from `matched.count` on, is new.
    case extends(matched: [Int])
    /// The list goes another way than what is stored from this stored index on.
    case diverges(stored: Int)
  }

  static func align(_ list: [Item], with stored: [Item]) -> Outcome {
    guard let last = stored.lastIndex(where: { !$0.isOptional }) else {
      return alignOptional(list, with: stored)
    }
    let keys = Set(stored.compactMap(\.key))
    guard let newest = list.lastIndex(where: { matches($0, stored[last], keys) }) else {
      return alignOlder(list, with: stored, keys)
    }
    var matched = [Int](repeating: 0, count: newest + 1)
    matched[newest] = last
    var next = last
    for index in stride(from: newest - 1, through: 0, by: -1) {
      guard let found = stored[..<next].lastIndex(where: { matches(list[index], $0, keys) }) else {
        return .diverges(stored: matched[index + 1])
      }
      matched[index] = found
      next = found
    }
    return alignTail(list, with: stored, matched: matched, keys)
  }

  /// After the last entry that both must have, a list may still show some that only we thought optional.
  private static func alignTail(
    _ list: [Item], with stored: [Item], matched: [Int], _ keys: Set<String>
  ) -> Outcome {
    var matched = matched
    var next = (matched.last ?? -1) + 1
    while matched.count < list.count,
      let found = stored[next...].firstIndex(where: { matches(list[matched.count], $0, keys) })
    {
      matched.append(found)
      next = found + 1
    }
    return .extends(matched: matched)
  }

  private static func alignOptional(_ list: [Item], with stored: [Item]) -> Outcome {
    alignTail(list, with: stored, matched: [], Set(stored.compactMap(\.key)))
  }

  /// The list does not reach what is stored last: it is an older state of it, or it diverges.
  private static func alignOlder(_ list: [Item], with stored: [Item], _ keys: Set<String>)
    -> Outcome
  {
    var matched: [Int] = []
    var next = 0
    for item in list {
      guard let found = stored[next...].firstIndex(where: { matches(item, $0, keys) }) else {
        return .diverges(stored: next)
      }
      matched.append(found)
      next = found + 1
    }
    return .extends(matched: matched)
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
    return hasher.finalize()
  }
}
