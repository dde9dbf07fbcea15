#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The provenance of everything in a session, for formats that export it.
///
/// Artifacts, agents, runs, and makers are gathered once. Entries and activities are read from the store as often as
/// a format asks for them. So the memory depends on the number of attachments, and not on the length of the session.
struct Provenance {
  /// An artifact, or an attachment without bytes, at its first occurrence.
  struct Item {
    let thing: ProvenanceThing
    let attachment: Entry.Attachment
  }

  /// The claim that a thing was made from another thing, or by an agent.
  struct Tie<Other> {
    let thing: ProvenanceThing
    let other: Other
    let basis: Entry.Attachment.Basis
  }

  let session: Session
  let summary: Session.Summary
  let head: String
  let changes: Int
  /// The number of earlier contents of entries, by position.
  let revisions: [Int: Int]
  private(set) var items: [Item] = []
  private(set) var agents: [ProvenanceAgent] = []
  private(set) var derivations: [Tie<ProvenanceThing>] = []
  /// The makers and givers of things for which no activity is known.
  private(set) var attributions: [Tie<ProvenanceAgent>] = []
  /// Artifacts that something here was made from and that are not attached in this session.
  private(set) var strangers: [ProvenanceThing] = []
  /// The runs without a known call.
  private(set) var runs: [Invocation] = []

  private(set) var outputs: [Entry.Attachment.CallReference: [Int]] = [:]
  let runsOfCalls: CallRuns
  /// The calls of runs, by the run's id.
  private let calls: [UUID: Entry.Attachment.CallReference]
  private(set) var made: [Maker: [ProvenanceLink]] = [:]
  private(set) var inputs: [Maker: [ProvenanceLink]] = [:]
  /// The positions of outputs that are marked as failed.
  private(set) var failures: Set<Int> = []
  private let knownRuns: Set<UUID>
  /// The calls that are exported. Calls of an erased entry are not among them.
  private var knownCalls: Set<Entry.Attachment.CallReference> = []
  private var knownThings: Set<ProvenanceThing> = []
  /// The identifiers of the known agents, which are compared as bytes, because names that look alike may differ in
  /// bytes.
  private var knownAgents: Set<String> = []

  /// The activity that made something.
  enum Maker: Hashable {
    case call(Entry.Attachment.CallReference)
    case run(UUID)
    /// An answer, named by the position of one of its entries.
    case entry(Int)
  }

  init(of session: Session) async throws {
    self.session = session
    summary = try await session.summary()
    (head, changes) = try await session.chainHead()
    revisions = try await session.revisionCounts()
    runsOfCalls = try await CallRuns(of: session)
    for (output, call) in try await session.answers() { outputs[call, default: []].append(output) }
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
    for (ordinal, call) in entry.toolCalls.enumerated() {
      note(.tool(call.tool))
      knownCalls.insert(.init(position: entry.position ?? 0, ordinal: ordinal))
    }
    if entry.kind == .toolOutput, entry.status == .failed, let position = entry.position {
      failures.insert(position)
    }
    for attachment in entry.attachments where attachment.direction != .content {
      note(attachment, of: entry)
    }
  }

  private mutating func note(_ agent: ProvenanceAgent) {
    if knownAgents.insert(agent.identifier).inserted { agents.append(agent) }
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
      (attachment.call ?? attachment.invocation.flatMap { calls[$0] }).flatMap(call)
        ?? attachment.invocation.flatMap(run)
    case .response: attachment.position.map(Maker.entry)
    case .user, .source: nil
    }
  }

  private func call(_ call: Entry.Attachment.CallReference) -> Maker? {
    knownCalls.contains(call) ? .call(call) : nil
  }

  /// The maker for a run without a known call; nil for a run of the session that this one was forked from.
  private func run(_ id: UUID) -> Maker? { knownRuns.contains(id) ? .run(id) : nil }

  private static func agent(of attachment: Entry.Attachment, in entry: Entry?) -> ProvenanceAgent? {
    switch attachment.maker {
    case .toolCall, .step: attachment.tool.map(ProvenanceAgent.tool)
    case .user: .person(entry?.author ?? ProvenanceAgent.somebody)
    case .response, .source: nil
    }
  }

  /// Returns whether the document describes a thing, so that a relation may point at it.
  func says(_ thing: ProvenanceThing) -> Bool {
    if case .entry(let position) = thing { return position < summary.entries }
    return knownThings.contains(thing)
  }
}
