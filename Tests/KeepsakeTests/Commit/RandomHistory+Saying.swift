import Foundation

@testable import Keepsake

/// Steps that append and revise entries.
extension RandomHistory {
  /// Makes an entry with some of the values that an app may give it.
  mutating func entry(_ kind: Entry.Kind? = nil) -> Entry {
    let kinds: [Entry.Kind] = [
      .prompt, .prompt, .response, .response, .reasoning, .instructions, .event,
    ]
    var entry = Entry(kind ?? one(of: kinds) ?? .prompt, segments: [.text(text())])
    if chance(10) { entry.segments.append(.text(text())) }
    if chance(10) {
      entry.segments.append(
        .structure(["fruit": .string(text())], schema: chance(50) ? "Fruit" : nil))
    }
    if chance(10) { entry.created = nil }
    if chance(10) { entry.status = one(of: Entry.Status.allCases) ?? .complete }
    if chance(10) { entry.visibility = one(of: Entry.Visibility.allCases) ?? .everyone }
    if chance(30) { entry.key = name("key") }
    if chance(25) { entry.tags = tags() }
    if chance(15) { entry.author = one(of: ["alice", "bob"]) }
    if chance(15) { entry.model = one(of: ["small", "large"]) }
    if chance(10) { entry.metadata = ["note": .string(text())] }
    if chance(10) { entry.signature = name("signature") }
    entry.lane = lane()
    return entry
  }

  mutating func say() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let stored = try await talk.session.append(entry())
    return "a \(stored.kind) at \(stored.position ?? -1) of \(talk.name)"
  }

  mutating func saySeveral() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let count = chance(5) ? AppendLine.worthwhile + 2 : number(2...6)
    let stored = try await talk.session.append((0..<count).map { _ in entry() })
    return "\(stored.count) from \(stored[0].position ?? -1) on in \(talk.name)"
  }

  mutating func sayWithAttachments() async throws -> String? {
    guard let talk = speaker() else { return nil }
    var entry = entry(chance(50) ? .prompt : .response)
    let attachments = (0..<number(1...3)).map { _ in
      attachment(madeBy: entry.kind == .prompt ? .user : .response)
    }
    if chance(50) { entry.segments += attachments.indices.map { .attachment($0) } }
    let stored = try await talk.session.append(entry, attaching: attachments)
    return "a \(stored.kind) at \(stored.position ?? -1) of \(talk.name), with \(attachments.count)"
  }

  /// Appends an entry whose key the session has, which adds nothing.
  mutating func sayAgain() async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.entries.all().filter {
        $0.key != nil && !$0.isErased && $0.continuesAfter == nil && $0.attachments.isEmpty
          && !$0.segments.contains(where: \.standsForAttachment)
      }
    }
    guard let (talk, entry) = found else { return nil }
    try await talk.session.append(entry)
    return "position \(entry.position ?? -1) of \(talk.name)"
  }

  /// Appends a text that is too large for a row, and becomes an artifact.
  mutating func sayMuch() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let stored = try await talk.session.append(largeEntry(.response))
    return "at \(stored.position ?? -1) of \(talk.name)"
  }

  mutating func largeEntry(_ kind: Entry.Kind) -> Entry {
    var entry = entry(kind)
    let text = text() + " "
    entry.segments[0] = .text(String(repeating: text, count: LargeText.limit / text.utf8.count + 1))
    return entry
  }

  mutating func goBack() async throws -> String? {
    guard let talk = speaker(), let position = try await position(in: talk.session) else {
      return nil
    }
    let target = chance(20) ? LivePath.beginning : position
    try await talk.session.append(.goingBack(to: target))
    return "to \(target) in \(talk.name)"
  }

  mutating func toolCall() -> Entry.ToolCall {
    // Many models count their calls anew in each turn.
    let id = chance(20) ? "call_\(number(1...3))" : name("call")
    return Entry.ToolCall(
      id: id, tool: one(of: ["Draw", "Look"]) ?? "Draw", arguments: #"{"what": "\#(text())"}"#)
  }

  mutating func call() async throws -> String? {
    guard let talk = speaker() else { return nil }
    var entry = Entry.toolCalls((0..<number(1...3)).map { _ in toolCall() })
    entry.lane = lane()
    if chance(30) { entry.key = name("key") }
    let stored = try await talk.session.append(entry)
    return "\(entry.toolCalls.count) at \(stored.position ?? -1) of \(talk.name)"
  }

  /// Appends the output of a call that waits for it, with artifacts that were given to it or that it made.
  mutating func answer() async throws -> String? {
    let found = try await choose { try await $0.session.audit().callsWithoutOutput }
    guard let (talk, call) = found else { return nil }
    let asking = try await talk.session.entry(at: call.position)
    var entry = Entry.toolOutput(
      callID: call.id, tool: call.tool, segments: [.text(#"{"done": "\#(text())"}"#)])
    entry.lane = asking.lane
    if chance(20) { entry.key = name("key") }
    var attachments: [Entry.NewAttachment] = []
    for _ in 0..<number(0...2) {
      var new = attachment(
        madeBy: .toolCall(.init(id: call.id ?? "", tool: call.tool, arguments: "{}")))
      if chance(25) { new.direction = .given }
      if chance(25) {
        new.segment = 0
        new.place = .pointer("/done")
      }
      attachments.append(new)
    }
    let stored = try await talk.session.append(entry, attaching: attachments)
    return "call \(call.position).\(call.ordinal) at \(stored.position ?? -1) of \(talk.name)"
  }

  mutating func revise() async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.entries.all().filter {
        !$0.isErased && $0.isOwn(by: talk.session)
      }
    }
    guard let (talk, stored) = found, let position = stored.position else { return nil }
    var content = stored
    content.segments = content.segments.map { $0.text == nil ? $0 : .text(text()) }
    for index in content.toolCalls.indices where chance(50) {
      content.toolCalls[index].arguments = #"{"instead": "\#(text())"}"#
    }
    if content.kind == .response, chance(10) {
      content.segments = largeEntry(.response).segments
    }
    if chance(30) { content.status = one(of: Entry.Status.allCases) ?? .complete }
    if chance(20) { content.model = one(of: ["small", "large"]) }
    if chance(30) { content.tags = tags() }
    try await talk.session.revise(position, to: content)
    return "position \(position) of \(talk.name)"
  }
}

extension Entry.Segment {
  fileprivate var standsForAttachment: Bool {
    if case .attachment = content { true } else { false }
  }
}

extension Entry {
  /// Tells whether a session has the entry itself, and does not share it with one that it was forked from.
  func isOwn(by session: Session) -> Bool {
    position.map { session.lineage.owner(of: $0).session == session.number } ?? false
  }
}
