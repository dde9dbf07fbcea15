/// The list of entries that go out, in order and with inserted entries, before a budget is applied.
struct OutgoingList {
  /// An entry of the list.
  struct Item {
    var entry: Entry
    /// The index in the original list; nil for an inserted entry.
    let index: Int?
    /// The notes about the entry, if it goes out.
    var notes: [Resumption.Note] = []
  }

  private(set) var items: [Item] = []
  /// The notes about entries that do not go out, and about the list.
  private(set) var notes: [Resumption.Note] = []
  private let entries: [Entry]
  private let pairs: CallPairs
  private let leftOut: [Resumption.Reason?]
  private let options: Resumption.Options

  static let noOutput = "[no output: the app ended before the tool did]"
  static let erasedOutput = "[no output: it was erased]"
  static let noAnswer = "[no answer: the turn ended before the model did]"
  static let erased = "[erased]"

  init(
    _ entries: [Entry], outcomes: [Turn.Outcome?], replaced: Set<Int> = [],
    options: Resumption.Options
  ) {
    self.entries = entries
    self.options = options
    pairs = CallPairs(entries)
    leftOut =
      EntrySelection(
        entries, outcomes: outcomes, replaced: replaced, pairs: pairs, options: options
      ).leftOut
    build()
    putInstructionsFirst()
  }

  private func position(_ index: Int) -> Int { entries[index].position ?? index }

  private func note(
    _ index: Int?, _ action: Resumption.Action, _ reason: Resumption.Reason
  ) -> Resumption.Note {
    Resumption.Note(position: index.map(position), action: action, reason: reason)
  }

  private mutating func build() {
    items.reserveCapacity(entries.count)
    /// The placeholders for missing outputs, by the index of the entry before them.
    var missing: [Int: [Item]] = [:]
    var lastPrompt: Int?
    for (index, entry) in entries.enumerated() {
      if let reason = leftOut[index] {
        notes.append(note(index, .leftOut, reason))
      } else {
        var item = Item(entry: entry, index: index)
        if entry.isErased {
          item.entry.segments = [.text(Self.erased)]
          item.notes.append(note(index, .replaced, .erased))
        }
        if entry.kind == .toolOutput, pairs.calls[index] == nil {
          item.notes.append(note(index, .noticed, .outputWithoutCall))
        }
        if entry.kind == .prompt, let unanswered = lastPrompt,
          isUnanswered(unanswered, before: index)
        {
          closePrompt(unanswered)
        }
        if entry.kind != .instructions { lastPrompt = entry.kind == .prompt ? index : nil }
        findMissing(of: index, item: &item, into: &missing)
        items.append(item)
      }
      if let placeholders = missing.removeValue(forKey: index) { items += placeholders }
    }
  }

  /// Returns whether a prompt directly after another prompt begins a turn of its own; a note to the model does not.
  private func isUnanswered(_ earlier: Int, before index: Int) -> Bool {
    entries[earlier].visibility != .model && entries[index].visibility != .model
      && (entries[earlier].turn == nil || entries[earlier].turn != entries[index].turn)
  }

  private mutating func closePrompt(_ index: Int) {
    guard options.heals else {
      items[items.count - 1].notes.append(note(index, .noticed, .promptWithoutAnswer))
      return
    }
    var answer = Entry.response(Self.noAnswer)
    answer.created = entries[index].created
    items.append(
      Item(entry: answer, index: nil, notes: [note(index, .repaired, .promptWithoutAnswer)]))
  }

  /// Adds a placeholder for each missing output of an entry's calls, after the output of the call before.
  private func findMissing(of index: Int, item: inout Item, into missing: inout [Int: [Item]]) {
    let entry = entries[index]
    guard !entry.toolCalls.isEmpty else { return }
    var place = index
    let isErased = entries[(index + 1)...].prefix { $0.kind == .toolOutput }.contains(
      where: \.isErased)
    for (ordinal, call) in entry.toolCalls.enumerated() {
      let outputs = pairs.outputs[.init(entry: index, ordinal: ordinal)] ?? []
      if let last = outputs.last(where: { leftOut[$0] == nil }) {
        place = max(place, last)
        continue
      }
      guard options.heals else {
        item.notes.append(note(index, .noticed, .callWithoutOutput(call.id)))
        continue
      }
      var output = Entry.toolOutput(
        for: call, text: isErased ? Self.erasedOutput : Self.noOutput)
      output.created = entry.created
      missing[place, default: []].append(
        Item(
          entry: output, index: nil,
          notes: [note(index, .repaired, .callWithoutOutput(call.id))]))
    }
  }

  private mutating func putInstructionsFirst() {
    guard let first = items.first, first.entry.kind != .instructions else { return }
    guard options.heals else {
      notes.append(note(nil, .noticed, .noInstructions))
      return
    }
    if let found = items.firstIndex(where: { $0.entry.kind == .instructions }) {
      var item = items.remove(at: found)
      item.notes.append(note(item.index, .repaired, .noInstructions))
      items.insert(item, at: 0)
    } else if let text = options.instructions {
      items.insert(
        Item(
          entry: .instructions(text), index: nil,
          notes: [note(nil, .repaired, .noInstructions)]), at: 0)
    } else {
      notes.append(note(nil, .noticed, .noInstructions))
    }
  }

  /// The turns as ranges of items that stay or go together; a call is never separated from its outputs.
  var turns: [Range<Int>] {
    var inside = [Int](repeating: 0, count: items.count + 1)
    var place: [Int: Int] = [:]
    for (index, item) in items.enumerated() where !item.entry.toolCalls.isEmpty {
      if let source = item.index { place[source] = index }
    }
    for (index, item) in items.enumerated() {
      guard let source = item.index, let call = pairs.calls[source], let start = place[call.entry],
        start < index
      else { continue }
      inside[start + 1] += 1
      inside[index + 1] -= 1
    }
    var turns: [Range<Int>] = []
    let head = items.prefix { $0.entry.kind == .instructions }.count
    var start = head
    var open = inside[..<min(head + 1, inside.count)].reduce(0, +)
    for index in head..<items.count where index > head {
      open += inside[index]
      let entry = items[index].entry
      let before = items[index - 1].entry
      let followsNote = before.kind == .prompt && before.visibility == .model
      if entry.kind == .prompt, open == 0, !followsNote {
        turns.append(start..<index)
        start = index
      }
    }
    if start < items.count { turns.append(start..<items.count) }
    return turns
  }
}
