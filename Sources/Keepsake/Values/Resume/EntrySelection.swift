/// Selects the entries of a session that go to a model, and gives a reason for each other entry.
struct EntrySelection {
  /// The reasons by the index of the entry; nil for an entry that goes out.
  private(set) var leftOut: [Resumption.Reason?]

  /// Selects the entries.
  ///
  /// - Parameters:
  ///   - entries: The session's entries, in order.
  ///   - outcomes: The outcomes of the entries' turns, by the index of the entry; nil if unknown.
  ///   - replaced: The indexes of entries that other entries replace.
  ///   - pairs: The pairs of tool calls and outputs.
  ///   - options: The options of the resumption.
  init(
    _ entries: [Entry], outcomes: [Turn.Outcome?], replaced: Set<Int>, pairs: CallPairs,
    options: Resumption.Options
  ) {
    leftOut = entries.map { Self.reason($0, options) }
    if !options.statuses.contains(.superseded) {
      for index in replaced where leftOut[index] == nil { leftOut[index] = .status(.superseded) }
    }
    let failed = Self.turnsWithoutAnswer(entries, outcomes, options)
    for (index, outcome) in failed where leftOut[index] == nil { leftOut[index] = .turn(outcome) }
    for (index, entry) in entries.enumerated() where entry.kind == .toolOutput {
      guard leftOut[index] == nil else { continue }
      if let call = pairs.calls[index] {
        if leftOut[call.entry] != nil { leftOut[index] = .withItsCall }
      } else if options.heals {
        leftOut[index] = .outputWithoutCall
      }
    }
  }

  private static func reason(_ entry: Entry, _ options: Resumption.Options) -> Resumption.Reason? {
    if entry.kind == .event { return .event }
    if entry.visibility == .person { return .hidden }
    if let wanted = options.lane, let lane = entry.lane, !lane.isSameText(as: wanted) {
      return .lane(lane)
    }
    if !options.statuses.contains(entry.status) { return .status(entry.status) }
    // An erased prompt or response keeps its place, so that prompts and responses still alternate.
    if entry.isErased, entry.kind != .prompt && entry.kind != .response { return .erased }
    return nil
  }

  /// Returns the entries of turns that ended without a response.
  private static func turnsWithoutAnswer(
    _ entries: [Entry], _ outcomes: [Turn.Outcome?], _ options: Resumption.Options
  ) -> [(index: Int, outcome: Turn.Outcome)] {
    var answered: Set<Int> = []
    var found: [(Int, Turn.Outcome)] = []
    for (index, entry) in entries.enumerated() {
      guard let outcome = outcomes[index], let status = outcome.status,
        !options.statuses.contains(status)
      else { continue }
      found.append((index, outcome))
      if entry.kind == .response, entry.status == .complete, let turn = entry.turn {
        answered.insert(turn)
      }
    }
    return found.filter { index, _ in
      entries[index].kind != .instructions
        && !(entries[index].turn.map(answered.contains) ?? true)
    }
  }
}

extension Turn.Outcome {
  /// The status that corresponds to the outcome; nil for a successful turn.
  fileprivate var status: Entry.Status? {
    switch self {
    case .answered: nil
    case .failed, .refused: .failed
    case .cancelled: .cancelled
    case .interrupted: .interrupted
    }
  }
}
