import Keepsake

extension Provenance {
  /// Calls a closure with each entry in order, and with the entry's digest in the session's chain.
  func eachEntry(_ take: (Entry, String?) async throws -> Void) async throws {
    var digests: [Int: String] = [:]
    for try await entry in session.entries {
      let position = entry.position ?? 0
      // Digests are read for a page of entries at once.
      if digests[position] == nil {
        digests = try await session.entryDigests(position..<(position + 256))
      }
      try await take(entry, digests[position])
    }
  }

  /// Calls a closure with each activity: answers and their calls in order, and at last the runs without a known call.
  func eachActivity(_ take: (ProvenanceActivity) async throws -> Void) async throws {
    // `waiting` is what the next answer is given, and `given` what the open answer was given.
    var waiting: [ProvenanceLink] = []
    var given: [ProvenanceLink] = []
    var open: ModelAnswer?
    for try await entry in session.entries {
      let entry = OutgoingEntry(entry)
      if open.add(entry) { continue }
      if let answer = open.take() { try await tell(answer, given, take) }
      if ModelAnswer.holds(entry.entry) {
        open = ModelAnswer(entry)
        given = waiting
        waiting = []
      } else if Self.isGiven(entry.entry) {
        waiting.append(ProvenanceLink(thing: .entry(entry.entry.position ?? 0), basis: .position))
      }
    }
    if let answer = open { try await tell(answer, given, take) }
    for run in runs { try await take(activity(of: run)) }
  }

  /// Returns whether an entry may have been given to a model.
  private static func isGiven(_ entry: Entry) -> Bool {
    switch entry.kind {
    case .instructions, .prompt, .toolOutput: entry.visibility != .person
    case .reasoning, .toolCalls, .response, .event, .unknown: false
    }
  }

  private func tell(
    _ answer: ModelAnswer, _ given: [ProvenanceLink],
    _ take: (ProvenanceActivity) async throws -> Void
  ) async throws {
    let positions = answer.entries.compactMap(\.entry.position)
    let first = positions.first ?? 0
    var activity = ProvenanceActivity(kind: .answer(first), name: answer.model)
    activity.agent = answer.model.map(ProvenanceAgent.model)
    activity.used = given
    for position in positions {
      // The kinds of entries in an answer are recorded as said by a model.
      activity.generated.append(ProvenanceLink(thing: .entry(position), basis: .recorded))
      activity.generated += made[.entry(position)] ?? []
    }
    let states = Set(answer.entries.map(\.entry.status))
    if states.contains(.failed) { activity.hasFailed = true }
    try await take(activity)
    for (place, call) in answer.calls {
      var asked = self.activity(of: call, place, first)
      asked.asker = activity.agent
      try await take(asked)
    }
  }

  private func activity(
    of call: Entry.ToolCall, _ place: Entry.Attachment.CallReference, _ answer: Int
  ) -> ProvenanceActivity {
    var activity = ProvenanceActivity(kind: .call(place), name: call.tool)
    activity.agent = .tool(call.tool)
    activity.askedBy = answer
    activity.arguments = call.arguments
    activity.callID = call.id
    activity.run = runsOfCalls[place]
    activity.used = [ProvenanceLink(thing: .entry(place.position), basis: .recorded)]
    activity.used += inputs[.call(place)] ?? []
    let outputs = outputs[place] ?? []
    // Output and call share an id. Whether the id came with the transcript or was assigned by an import is no longer
    // known.
    activity.generated = outputs.map { ProvenanceLink(thing: .entry($0), basis: .inferred) }
    activity.generated += made[.call(place)] ?? []
    activity.hasFailed = Self.hasFailed(activity.run)
    if outputs.contains(where: failures.contains) { activity.hasFailed = true }
    return activity
  }

  private func activity(of run: Invocation) -> ProvenanceActivity {
    var activity = ProvenanceActivity(kind: .run(run.id), name: run.name)
    activity.agent = .tool(run.name)
    activity.run = run
    activity.used = inputs[.run(run.id)] ?? []
    activity.generated = made[.run(run.id)] ?? []
    activity.hasFailed = Self.hasFailed(run)
    return activity
  }

  private static func hasFailed(_ run: Invocation?) -> Bool? {
    run?.outcome.flatMap { outcome in
      switch outcome {
      case .finished: false
      case .failed: true
      case .cancelled, .interrupted: nil
      }
    }
  }
}

// MARK: - What is told of an entry

extension Provenance {
  /// The facts about an entry that only a store knows, apart from its contents.
  /// - Parameters:
  ///   - entry: The entry.
  ///   - digest: The digest of the entry in the session's chain.
  func facts(of entry: Entry, _ digest: String?) -> [(name: String, value: JSON?)] {
    let revisions = entry.position.flatMap { self.revisions[$0] }
    func number(_ number: Int?) -> JSON? { number.map { .number(Int64($0)) } }
    return [
      ("kind", .string(entry.kind.rawValue)), ("position", number(entry.position)),
      ("turn", number(entry.turn)), ("lane", entry.lane.map(JSON.string)),
      ("status", entry.status == .complete ? nil : .string(entry.status.rawValue)),
      ("visibility", entry.visibility == .everyone ? nil : .string(entry.visibility.rawValue)),
      ("state", entry.isErased ? "erased" : nil), ("digest", digest.map(JSON.string)),
      ("revisions", number(revisions)),
    ]
  }

  /// The text of a prompt, which belongs to the provenance of an artifact; nil for other entries, and for erased
  /// ones.
  static func text(of entry: Entry) -> String? {
    entry.kind == .prompt && !entry.isErased ? entry.text : nil
  }

  /// Returns whether the contents of an entry are left out. Arguments of calls are never left out.
  static func isCut(_ entry: Entry) -> Bool { entry.kind != .prompt && !entry.segments.isEmpty }
}
