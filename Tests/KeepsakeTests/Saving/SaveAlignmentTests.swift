import Testing

@testable import Keepsake

/// The alignment against one that tries everything, over all short lists.
@Suite struct `Aligning a saved list` {
  typealias Item = SaveAlignment.Item

  /// Every way to match the first entries of a list with stored ones of equal content, in order.
  private func embeddings(_ list: [Item], _ stored: [Item], from start: Int = 0) -> [[Int]] {
    guard let first = list.first else { return [[]] }
    var found: [[Int]] = []
    for index in stored.indices.dropFirst(start)
    where stored[index].fingerprint == first.fingerprint {
      for rest in embeddings(Array(list.dropFirst()), stored, from: index + 1) {
        found.append([index] + rest)
      }
    }
    return found
  }

  /// How many of the list's first entries may be taken for stored ones so that what follows is new: the last entry that
  /// the list must have is among them.
  private func extending(_ list: [Item], _ stored: [Item]) -> Set<Int> {
    let last = stored.lastIndex { !$0.isOptional }
    return Set(
      (0...list.count).filter { count in
        embeddings(Array(list.prefix(count)), stored).contains { matched in
          last.map(matched.contains) ?? true
        }
      })
  }

  /// All lists of up to so many entries over two contents.
  private func lists(upTo count: Int, optional: Bool) -> [[Item]] {
    var all: [[Item]] = [[]]
    var longest: [[Item]] = [[]]
    for _ in 0..<count {
      longest = longest.flatMap { list in
        [0, 1].flatMap { content in
          (optional ? [false, true] : [false]).map { isOptional in
            list + [Item(fingerprint: content, isOptional: isOptional)]
          }
        }
      }
      all += longest
    }
    return all
  }

  @Test func `agrees with trying every way, over all short lists`() {
    let all = lists(upTo: 4, optional: true)
    for list in lists(upTo: 4, optional: false) {
      for stored in all { check(list, stored) }
    }
  }

  private func check(_ list: [Item], _ stored: [Item]) {
    let outcome = SaveAlignment.align(list, with: stored)
    let extending = extending(list, stored)
    let isOlder = !embeddings(list, stored).isEmpty
    switch outcome {
    case .extends(let matched):
      let isValid =
        matched.count <= list.count && zip(matched, matched.dropFirst()).allSatisfy { $0 < $1 }
        && zip(matched, list).allSatisfy { stored[$0].fingerprint == $1.fingerprint }
      guard isValid else {
        Issue.record("\(list) in \(stored): \(matched) is no match")
        return
      }
      if let last = stored.lastIndex(where: { !$0.isOptional }), !matched.contains(last) {
        // Only an older state of the list may miss it, and only where no match has it.
        if matched.count != list.count || !extending.isEmpty {
          Issue.record("\(list) in \(stored): \(matched) misses what was stored last")
        }
        return
      }
      let best = extending.max() ?? 0
      if matched.count != best {
        Issue.record("\(list) in \(stored): \(matched), and \(best) are stored")
      }
    case .diverges(let position, let matched):
      if matched.contains(where: { $0 >= position })
        || !zip(matched, list).allSatisfy({ stored[$0].fingerprint == $1.fingerprint })
      {
        Issue.record("\(list) in \(stored): diverges at \(position) after \(matched)")
      }
      if !extending.isEmpty || isOlder {
        Issue.record("\(list) in \(stored): diverges at \(position), and need not")
      }
      guard position >= 0, position < stored.count else {
        Issue.record("\(list) in \(stored): diverges at \(position)")
        return
      }
      // A fork from there can be saved to.
      if case .diverges = SaveAlignment.align(list, with: Array(stored[..<position])) {
        Issue.record("\(list) in \(stored): its fork before \(position) diverges again")
      }
    }
  }

  @Test func `entries with a known key match by it alone, others by content`() {
    func item(_ key: String?, _ content: Int) -> Item { Item(key: key, fingerprint: content) }
    let stored = [item("a", 1), item(nil, 2), item("c", 3)]
    #expect(
      SaveAlignment.align([item("a", 9), item("b", 2), item("c", 8), item("d", 4)], with: stored)
        == .extends(matched: [0, 1, 2]))
    #expect(
      SaveAlignment.align([item("a", 1), item("x", 2), item("y", 7)], with: stored)
        == .diverges(stored: 2, matched: [0, 1]))
    // The same text composed in another way is another key.
    #expect(
      SaveAlignment.align(
        [item("e\u{301}", 1)], with: [item("\u{E9}", 2)]) == .diverges(stored: 0, matched: []))
  }

  @Test func `a conversation that repeats itself goes on`() {
    let stored = [0, 1].map { Item(fingerprint: $0) }
    let list = [0, 1, 0, 1].map { Item(fingerprint: $0) }
    #expect(SaveAlignment.align(list, with: stored) == .extends(matched: [0, 1]))
    #expect(SaveAlignment.align(list + list, with: list) == .extends(matched: [0, 1, 2, 3]))
    // Trimmed to its last turn.
    #expect(SaveAlignment.align(stored, with: list) == .extends(matched: [2, 3]))
  }
}
