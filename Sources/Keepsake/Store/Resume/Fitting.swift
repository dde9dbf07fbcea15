/// Makes entries fit a budget, by dropping whole turns from the front.
///
/// If the newest turn alone is too large, placeholders replace its images.
struct Fitting {
  private var outgoing: OutgoingEntries
  private let turns: [Range<Int>]
  /// The instructions at the front, which are never dropped.
  private let head: Range<Int>
  private let budget: Resumption.Budget
  /// The tokens for the schemas of tools that no instructions describe.
  private let tools: Int
  /// The most tokens that the entries may have.
  private let room: Int
  private let object: String?

  /// Entries that fit the budget.
  struct Fitted {
    var entries: [Entry]
    var notes: [Resumption.Note]
    var tokens: Int
  }

  init(
    _ outgoing: OutgoingEntries, turns: [Range<Int>], budget: Resumption.Budget, object: String?
  ) {
    self.outgoing = outgoing
    self.turns = turns
    self.budget = budget
    self.object = object
    head = 0..<(turns.first?.lowerBound ?? outgoing.items.count)
    var undescribed = budget.tools
    if !undescribed.isEmpty {
      for item in outgoing.items where item.entry.kind == .instructions {
        for name in item.entry.describedTools { undescribed[name] = nil }
      }
    }
    tools = undescribed.values.reduce(0, +)
    room = budget.room(beside: tools)
  }

  mutating func fit() async throws -> Fitted {
    let (dropped, tokens) = try await search()
    guard dropped > 0, let condenser = budget.condenser else {
      return try await fitted(dropping: dropped, tokens: tokens)
    }
    return try await condense(dropping: dropped, tokens: tokens, condenser)
  }

  /// Returns the items that go out if a number of turns is dropped; instructions inside of these turns stay.
  private func items(dropping dropped: Int) -> [Int] {
    let start = dropped < turns.count ? turns[dropped].lowerBound : outgoing.items.count
    let kept = (head.upperBound..<start).filter { outgoing.items[$0].entry.kind == .instructions }
    return Array(head) + kept + Array(start..<outgoing.items.count)
  }

  private func count(_ entries: [Entry]) async throws -> Int {
    if let counter = budget.counter { return try await counter(entries) }
    return entries.reduce(0) { $0 + $1.estimatedTokens }
  }

  private mutating func count(dropping dropped: Int, summary: Entry? = nil) async throws -> Int {
    try await count(entries(dropping: dropped, summary: summary))
  }

  private mutating func entries(dropping dropped: Int, summary: Entry?) async throws -> [Entry] {
    var entries = try await outgoing.entries(items(dropping: dropped))
    if let summary { entries.insert(summary, at: head.count) }
    return entries
  }

  private func fitted(dropping dropped: Int, tokens: Int, summary: Entry? = nil) async throws
    -> Fitted
  {
    var fitting = self
    let kept = items(dropping: dropped)
    var notes: [Resumption.Note] = kept.flatMap { fitting.outgoing.notes($0) }
    if dropped > 0 {
      for item in turns[0].lowerBound..<turns[dropped - 1].upperBound {
        let each = outgoing.items[item]
        guard let index = each.index, each.entry.kind != .instructions else { continue }
        notes.append(
          Resumption.Note(
            position: each.entry.position ?? index, action: .leftOut,
            reason: summary == nil ? .overBudget : .condensed))
      }
    }
    return Fitted(
      entries: try await fitting.entries(dropping: dropped, summary: summary), notes: notes,
      tokens: tokens)
  }
}

// MARK: - Turns

extension Fitting {
  /// Finds the least number of turns to drop, and the tokens of the rest.
  private mutating func search() async throws -> (dropped: Int, tokens: Int) {
    if budget.counter == nil { return try await searchByEstimate() }
    let all = try await count(dropping: 0)
    if all <= room { return (0, all) }
    let last = max(0, turns.count - 1)
    let least = last == 0 ? all : try await count(dropping: last)
    guard least <= room else { return try await withoutImages(tokens: least) }
    return try await search(above: 0, upTo: last, tokens: least)
  }

  /// Searches by halving between a number of dropped turns that is too small and one that is enough.
  private mutating func search(
    above low: Int, upTo high: Int, tokens: Int, summary: Entry? = nil
  ) async throws -> (dropped: Int, tokens: Int) {
    var low = low
    var best = (dropped: high, tokens: tokens)
    while best.dropped - low > 1 {
      let middle = (low + best.dropped) / 2
      let tokens = try await count(dropping: middle, summary: summary)
      if tokens <= room { best = (middle, tokens) } else { low = middle }
    }
    return best
  }

  /// Searches by the estimate, which can be summed: the newest turns are counted one by one, and no older turn is made.
  private mutating func searchByEstimate() async throws -> (dropped: Int, tokens: Int) {
    var tokens = try await count(dropping: turns.count)
    var dropped = turns.count
    while dropped > 0 {
      var turn = 0
      for item in turns[dropped - 1] where outgoing.items[item].entry.kind != .instructions {
        turn += try await outgoing.entry(item).estimatedTokens
      }
      if tokens + turn > room { break }
      tokens += turn
      dropped -= 1
    }
    if dropped < turns.count || (turns.isEmpty && tokens <= room) {
      return (dropped, tokens)
    }
    return try await withoutImages(tokens: try await count(dropping: max(0, turns.count - 1)))
  }

  /// Replaces images of the newest turn, the oldest first, as few as possible.
  private mutating func withoutImages(tokens: Int) async throws -> (dropped: Int, tokens: Int) {
    let dropped = max(0, turns.count - 1)
    let images = try await outgoing.images(items(dropping: dropped))
    let seen = outgoing
    try await outgoing.replace(images)
    var best = images.isEmpty ? tokens : try await count(dropping: dropped)
    guard best <= room else { throw tooLarge(best) }
    var all = outgoing
    var low = 0
    var high = images.count
    while high - low > 1 {
      let middle = (low + high) / 2
      outgoing = seen
      try await outgoing.replace(images[..<middle])
      let tokens = try await count(dropping: dropped)
      if tokens <= room {
        (high, best, all) = (middle, tokens, outgoing)
      } else {
        low = middle
      }
    }
    outgoing = all
    return (dropped, best)
  }

  private func tooLarge(_ least: Int) -> KeepsakeError {
    let reserved = budget.limit - room - tools
    let beside = [
      reserved > 0 ? "\(reserved) stay free for the next prompt and the answer" : nil,
      tools > 0 ? "the schemas of the tools take \(tools)" : nil,
    ].compactMap { $0 }.joined(separator: ", ")
    return KeepsakeError(
      .tooLarge,
      "Can't fit the session into \(budget.limit) tokens: its instructions and its newest turn alone come to \(least)\(beside.isEmpty ? "" : ", \(beside)"). Give a budget of at least \(budget.limit(for: least + tools)).",
      object: object)
  }
}

// MARK: - Condensing

extension Fitting {
  /// Replaces the dropped turns with a summary; if it does not fit, with a summary of more turns, and at last with none.
  private mutating func condense(
    dropping dropped: Int, tokens: Int, _ condenser: Resumption.Budget.Condenser
  ) async throws -> Fitted {
    var dropping = dropped
    for _ in 0..<2 {
      guard let summary = try await summary(ofFirst: dropping, condenser) else { break }
      let tokens = try await count(dropping: dropping, summary: summary)
      if tokens <= room {
        return try await fitted(dropping: dropping, tokens: tokens, summary: summary)
      }
      let last = turns.count - 1
      guard dropping < last else { break }
      let least = try await count(dropping: last, summary: summary)
      guard least <= room else { break }
      dropping = try await search(above: dropping, upTo: last, tokens: least, summary: summary)
        .dropped
    }
    return try await fitted(dropping: dropped, tokens: tokens)
  }

  private func summary(ofFirst dropped: Int, _ condenser: Resumption.Budget.Condenser) async throws
    -> Entry?
  {
    let said = turns[..<dropped].map { turn in
      outgoing.items[turn].map(\.entry).filter { $0.kind != .instructions }
    }
    guard let text = try await condenser(said) else { return nil }
    // The summary is not instructions, because it repeats what tools and people said, which must not gain authority.
    var summary = Entry.prompt(text)
    summary.visibility = .model
    return summary
  }
}

extension Entry {
  /// The names of the tools that instructions describe, in any of the known forms.
  fileprivate var describedTools: [String] {
    (toolDefinitions?.arrayValue ?? []).compactMap {
      ($0["function"] ?? $0)["name"]?.stringValue
    }
  }
}
