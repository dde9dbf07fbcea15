import Foundation

@testable import Keepsake

/// Turns, runs and drafts, which begin in one step and end in another.
extension RandomHistory {
  mutating func openTurn() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let turn = try await talk.session.openTurn(lane: lane())
    return "\(turn.number) of \(talk.name), lane \(turn.lane ?? "-")"
  }

  mutating func closeTurn() async throws -> String? {
    guard let (talk, turn) = try await choose({ try await $0.session.turns(open: true) }) else {
      return nil
    }
    let outcome = one(of: Turn.Outcome.allCases) ?? .answered
    try await talk.session.close(
      turn, outcome, detail: chance(50) ? text() : nil, attempts: chance(30) ? 2 : nil)
    return "\(turn.number) of \(talk.name), \(outcome)"
  }

  mutating func beginRun() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let waiting = try await talk.session.audit().callsWithoutOutput
    var description = Invocation.Description(arguments: #"{"what": "\#(text())"}"#)
    var callID: String?
    if let call = one(of: waiting), chance(50) {
      description.arguments = call.arguments
      // Without the id, the run is bound by its arguments when the output comes.
      if chance(50) { callID = call.id }
    }
    if chance(30) { description.parameters = #"{"seed": 1}"# }
    if chance(30) { description.implementation = "Draw.swift" }
    let run = try await talk.session.begin(
      chance(70) ? .tool : .step, one(of: ["Draw", "Look"]) ?? "Draw", description, callID: callID,
      lane: lane())
    return "\(run.name) in \(talk.name)"
  }

  private mutating func running() async throws -> (talk: Talk, found: Invocation)? {
    try await choose { try await $0.session.invocations(running: true) }
  }

  mutating func attachToRun() async throws -> String? {
    guard let (talk, run) = try await running() else { return nil }
    let attached = try await talk.session.attach(attachment(madeBy: .invocation(run)))
    return "'\(attached.label)' to \(run.name) in \(talk.name)"
  }

  mutating func endRun() async throws -> String? {
    guard let (talk, run) = try await running() else { return nil }
    let outcome = one(of: Invocation.Outcome.allCases) ?? .finished
    try await talk.session.end(
      run, outcome, output: chance(70) ? text() : nil, detail: chance(30) ? text() : nil)
    return "\(run.name) of \(talk.name), \(outcome)"
  }

  /// Appends the call of a run that none is known of, and its output, so that the run belongs to the call from now on.
  mutating func callOfRun() async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.invocations().filter { $0.call == nil && $0.maker == .tool }
    }
    guard let (talk, run) = found else { return nil }
    let call = chance(70) ? run.toolCall : .init(tool: run.name, arguments: run.toolCall.arguments)
    let stored = try await talk.session.append([
      .toolCalls([call]), .toolOutput(for: call, text: run.output ?? text()),
    ])
    return "\(run.name) at \(stored[0].position ?? -1) of \(talk.name)"
  }
}

// MARK: - Drafts

extension RandomHistory {
  mutating func beginDraft() async throws -> String? {
    guard let talk = speaker(), let index = talks.firstIndex(where: { $0.name == talk.name }) else {
      return nil
    }
    let draft = try await talk.session.draft(
      chance(80) ? .response : .reasoning, lane: lane(), model: chance(50) ? "large" : nil)
    talks[index].drafts.append(draft)
    return "in \(talk.name)"
  }

  /// Adds text to a draft, or replaces it, and writes that at once, so that nothing is left to be written later.
  mutating func continueDraft() async throws -> String? {
    guard let (talk, draft) = try await choose({ $0.drafts }) else { return nil }
    if chance(70) { draft.append(text() + " ") } else { draft.update(text()) }
    try await draft.flush()
    return "in \(talk.name)"
  }

  mutating func endDraft() async throws -> String? {
    guard let (talk, draft) = try await choose({ $0.drafts }) else { return nil }
    let stored: Entry
    switch number(1...5) {
    case 1: stored = try await draft.fail()
    case 2: stored = try await draft.cancel()
    case 3: stored = try await draft.finish(entry(.response))
    default: stored = try await draft.finish()
    }
    for index in talks.indices { talks[index].drafts.removeAll { $0.id == draft.id } }
    return "\(stored.status) at \(stored.position ?? -1) of \(talk.name)"
  }

  /// Ends all open drafts of the sessions that the history made.
  mutating func endDrafts() async throws {
    while try await endDraft() != nil {}
  }
}
