#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Where everything in a session comes from, as the store says it, for formats that hand this on.
///
/// What is small is gathered once: artifacts, agents, runs, and who made what. Entries and what was done are told one by
/// one, as often as a format asks, so that a session of any length needs the memory of what was attached in it.
struct Provenance {
  /// An artifact, or an attachment without bytes, where it was met first.
  struct Item {
    let thing: ProvenanceThing
    let attachment: Entry.Attachment
  }

  /// That something was made from something else, or by somebody.
  struct Tie<Other> {
    let thing: ProvenanceThing
    let other: Other
    let basis: Entry.Attachment.Basis
  }

  let session: Session
  let summary: Session.Summary
  let head: String
  let changes: Int
  /// How many earlier contents entries have, by their positions.
  let revisions: [Int: Int]
  private(set) var items: [Item] = []
  private(set) var agents: [ProvenanceAgent] = []
  private(set) var derivations: [Tie<ProvenanceThing>] = []
  /// Who made or gave something where it is not known what was done for it.
  private(set) var attributions: [Tie<ProvenanceAgent>] = []
  /// What something here was made from and that is not attached here.
  private(set) var strangers: [ProvenanceThing] = []
  /// Runs of no known call.
  private(set) var runs: [Invocation] = []

  private let answers: [Int: Entry.Attachment.CallReference]
  private var outputs: [Entry.Attachment.CallReference: [Int]] = [:]
  private let runsOfCalls: CallRuns
  /// The calls of runs, by the runs' ids.
  private let calls: [UUID: Entry.Attachment.CallReference]
  private var made: [Maker: [ProvenanceLink]] = [:]
  private var inputs: [Maker: [ProvenanceLink]] = [:]
  /// Outputs that say that they failed.
  private var failures: Set<Int> = []
  private let knownRuns: Set<UUID>
  private var knownThings: Set<ProvenanceThing> = []
  private var knownAgents: Set<ProvenanceAgent> = []

  /// What made something.
  private enum Maker: Hashable {
    case call(Entry.Attachment.CallReference)
    case run(UUID)
    /// An answer, by the position of one of its entries.
    case entry(Int)
  }

  init(of session: Session) async throws {
    self.session = session
    summary = try await session.summary()
    (head, changes) = try await session.chainHead()
    revisions = try await session.revisionCounts()
    answers = try await session.answers()
    runsOfCalls = try await CallRuns(of: session)
    for (output, call) in answers { outputs[call, default: []].append(output) }
    for call in outputs.keys { outputs[call]?.sort() }
    var others: [Invocation] = []
    var calls: [UUID: Entry.Attachment.CallReference] = [:]
    try await session.eachRun { run in
      calls[run.id] = run.call
      if run.call == nil { others.append(run.withoutTexts) }
    }
    runs = others
    knownRuns = Set(others.map(\.id))
    self.calls = calls
    for try await entry in session.entries { note(entry) }
    for attachment in try await session.unboundAttachments() { note(attachment, of: nil) }
    for run in runs { note(.tool(run.name)) }
    for tie in derivations where !says(tie.other) {
      if case .artifact = tie.other, knownThings.insert(tie.other).inserted {
        strangers.append(tie.other)
      }
    }
  }
}

// MARK: - Gathering

extension Provenance {
  private mutating func note(_ entry: Entry) {
    if let writer = ProvenanceAgent(writerOf: entry) { note(writer) }
    for call in entry.toolCalls { note(.tool(call.tool)) }
    if entry.kind == .toolOutput, entry.status == .failed, let position = entry.position {
      failures.insert(position)
    }
    for attachment in entry.attachments where attachment.direction != .content {
      note(attachment, of: entry)
    }
  }

  private mutating func note(_ agent: ProvenanceAgent) {
    if knownAgents.insert(agent).inserted { agents.append(agent) }
  }

  private mutating func note(_ attachment: Entry.Attachment, of entry: Entry?) {
    let thing = ProvenanceThing(attachment)
    if knownThings.insert(thing).inserted {
      items.append(Item(thing: thing, attachment: attachment))
    }
    let sources = attachment.inputs.map {
      ProvenanceLink(thing: ProvenanceThing($0), basis: attachment.basis)
    }
    for source in sources {
      derivations.append(Tie(thing: thing, other: source.thing, basis: source.basis))
    }
    if let maker = maker(of: attachment) {
      made[maker, default: []].append(ProvenanceLink(thing: thing, basis: attachment.basis))
      if !sources.isEmpty { inputs[maker, default: []] += sources }
    } else if let agent = Self.agent(of: attachment, in: entry) {
      note(agent)
      attributions.append(Tie(thing: thing, other: agent, basis: attachment.basis))
    }
  }

  private func maker(of attachment: Entry.Attachment) -> Maker? {
    switch attachment.maker {
    case .toolCall, .step:
      (attachment.call ?? attachment.invocation.flatMap { calls[$0] }).map(Maker.call)
        ?? attachment.invocation.flatMap(run)
    case .response: attachment.position.map(Maker.entry)
    case .user, .source: nil
    }
  }

  /// A run of no known call; nil for one that is not told, because it belongs to a session that this one was forked from.
  private func run(_ id: UUID) -> Maker? { knownRuns.contains(id) ? .run(id) : nil }

  private static func agent(of attachment: Entry.Attachment, in entry: Entry?) -> ProvenanceAgent? {
    switch attachment.maker {
    case .toolCall, .step: attachment.tool.map(ProvenanceAgent.tool)
    case .user: .person(entry?.author ?? ProvenanceAgent.somebody)
    case .response, .source: nil
    }
  }

  /// Whether anything is said of a thing, so that links can lead there.
  func says(_ thing: ProvenanceThing) -> Bool {
    if case .entry(let position) = thing { return position < summary.entries }
    return knownThings.contains(thing)
  }
}

// MARK: - Telling

extension Provenance {
  /// Tells the entries in their order, each with its digest in the chain.
  func eachEntry(_ take: (Entry, String?) async throws -> Void) async throws {
    var digests: [Int: String] = [:]
    for try await entry in session.entries {
      let position = entry.position ?? 0
      // As many at once as a page of entries has.
      if digests[position] == nil {
        digests = try await session.entryDigests(position..<(position + 256))
      }
      try await take(entry, digests[position])
    }
  }

  /// Tells what was done, in the order in which it was asked for; runs of no known call come last.
  func eachActivity(_ take: (ProvenanceActivity) async throws -> Void) async throws {
    // What the next answer is given, and what the open one was given.
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

  /// Whether a model may have been given an entry.
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
      // What an entry is says that a model said it.
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
    // Their ids are the same. Where those came with the transcript, or were given by an import, nobody knows any more.
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
  /// What a store knows of an entry beside what it says.
  /// - Parameter digest: That of the entry in the session's chain.
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

  /// What it says, where that is told: who asks where an artifact comes from asks for the prompt.
  static func text(of entry: Entry) -> String? {
    entry.kind == .prompt && !entry.isErased ? entry.text : nil
  }

  /// Whether something that it says is not told. The arguments of its calls are.
  static func isCut(_ entry: Entry) -> Bool { entry.kind != .prompt && !entry.segments.isEmpty }
}
