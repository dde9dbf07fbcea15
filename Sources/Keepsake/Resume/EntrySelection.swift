/// Which entries of a session are for a model, and why the others are not.
struct EntrySelection {
  /// By index in the list; nil for those that go out.
  private(set) var leftOut: [Resumption.Reason?]

  /// - Parameters:
  ///   - entries: The session's, in order.
  ///   - outcomes: What became of the turn that each belongs to, by index; nil where that is not known.
  ///   - replaced: The indices of those that others took the place of.
  ///   - pairs: The calls and outputs of the entries.
  ///   - options: What they go out for.
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
    // What was asked and answered keeps its place, so that a conversation still takes turns.
    if entry.isErased, entry.kind != .prompt && entry.kind != .response { return .erased }
    return nil
  }

  /// The entries of turns that came to nothing.
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
  /// The status that entries have which ended so; nil for a turn that did what it was to do.
  fileprivate var status: Entry.Status? {
    switch self {
    case .answered: nil
    case .failed, .refused: .failed
    case .cancelled: .cancelled
    case .interrupted: .interrupted
    }
  }
}
