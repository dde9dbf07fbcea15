package import Keepsake

extension Session {
  /// Draws the entries of a range, as the page of the session does, for a server that shows them live.
  ///
  /// An output is drawn with its call, so an output of the range whose call stands before it gives the call's entry
  /// anew, and no entry of its own. Whoever shows the entries puts each at its position, in place of an element with
  /// the same id:
  ///
  /// ```swift
  /// let place = FragmentPlace(artifacts: .served { "/artifacts/\($0.digest.hex)" })
  /// // The page at first, then what `session.events` tells of.
  /// let drawn = try await session.drawing(of: max(0, end - 50)..<end, in: place)
  /// let draft = session.drawing(of: snapshot, in: place)
  /// ```
  ///
  /// The elements are dressed by ``PageAssets/style``, and brought to life by ``PageAssets/script``. The cost follows the
  /// range and its outputs, and the number of the session's attachments when they have changed.
  /// - Parameters:
  ///   - positions: The positions of the entries; positions beyond the end are left out.
  ///   - place: Where the entries are shown; artifacts that stand in the page can't be drawn this way.
  /// - Returns: The entries in the order of their positions.
  /// - Throws: `KeepsakeError`, when the session can't be read.
  @concurrent
  package func drawing(of positions: Range<Int>, in place: FragmentPlace) async throws
    -> [DrawnEntry]
  {
    if case .inline = place.artifacts {
      preconditionFailure("Artifacts that stand in the page need slots, which only a page fills.")
    }
    let start = max(0, positions.lowerBound)
    let read = try await entries(after: start - 1, count: positions.upperBound - start)
    guard let first = read.first?.position, let last = read.last?.position else { return [] }
    var plan = PagePlan()
    let mentions = try await mentionIndex()
    let earlier = try await entries(
      calledFor: calls(answeredBy: first..<last + 1), before: first)
    let shown = earlier + read
    let answers = try await answers(to: (shown.first?.position ?? first)..<last + 1)
    var known = Dictionary(
      uniqueKeysWithValues: shown.compactMap { e in e.position.map { ($0, e) } })
    let calls = Set(known.keys)
    for position in answers.keys where known[position] == nil {
      guard let call = answers[position]?.position, calls.contains(call) else { continue }
      known[position] = try await entry(at: position)
    }
    for entry in known.values.sorted(by: { ($0.position ?? 0) < ($1.position ?? 0) }) {
      plan.add(entry, answering: entry.position.flatMap { answers[$0] }, mentions)
    }
    let context = FragmentContext(
      mentions: mentions, place: place, homes: plan.homes,
      revisions: try await revisionCounts(of: (shown.first?.position ?? first)..<last + 1))
    return EntryFragment.drawn(shown, by: plan, with: known, context)
  }

  /// The entries of calls before a position that outputs answer in the same turn, in their order.
  private func entries(
    calledFor answers: [Int: Entry.Attachment.CallReference], before first: Int
  ) async throws -> [Entry] {
    var found: [Int: Entry] = [:]
    for (position, call) in answers where call.position < first && found[call.position] == nil {
      let entry = try await entry(at: call.position)
      if try await self.entry(at: position).turn == entry.turn { found[call.position] = entry }
    }
    return found.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Draws what has come of an entry that is still streaming.
  /// - Returns: An `article` without an id, as UTF-8.
  package func drawing(of draft: Draft.Snapshot, in place: FragmentPlace) -> [UInt8] {
    var fragment = EntryFragment(FragmentContext(mentions: MentionIndex([]), place: place))
    fragment.draft(draft)
    return fragment.html.bytes
  }
}

extension EntryFragment {
  /// Draws entries one by one, as a plan says.
  fileprivate static func drawn(
    _ entries: [Entry], by plan: PagePlan, with known: [Int: Entry], _ context: FragmentContext
  ) -> [DrawnEntry] {
    var state = FragmentState()
    var drawn: [DrawnEntry] = []
    for entry in entries {
      guard let position = entry.position, !plan.folded.contains(position) else { continue }
      var fragment = EntryFragment(context)
      swap(&fragment.state, &state)
      let outputs = (plan.outputs[position] ?? []).compactMap { ordinal, position in
        known[position].map { Output(ordinal: ordinal, entry: $0) }
      }
      fragment.entry(entry, outputs: outputs)
      swap(&fragment.state, &state)
      state.keep()
      drawn.append(
        DrawnEntry(
          position: position, day: entry.created.map(Phrase.day), html: fragment.html.bytes))
    }
    return drawn
  }
}
