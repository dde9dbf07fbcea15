import Foundation

@testable import Keepsake

/// Steps that attach artifacts, and settle, caption and bind attachments.
extension RandomHistory {
  /// Makes an attachment with some of the values that an app may give it.
  mutating func attachment(madeBy maker: Entry.MadeBy) -> Entry.NewAttachment {
    var new = Entry.NewAttachment(.bytes(bytes()), madeBy: maker)
    if chance(20) { new.mediaType = .plainText }
    if chance(30) { new.fileName = name("file") + ".txt" }
    // Some labels are taken, so that the store gives others.
    if chance(30) { new.label = chance(30) ? "picture" : name("label") }
    if chance(30) { new.captions = [.init(text(), author: chance(50) ? "alice" : nil)] }
    if chance(20) { new.reference = "/tmp/\(name("path"))" }
    return new
  }

  private mutating func maker() -> Entry.MadeBy {
    one(of: [.user, .response, .source, .step("Sketch")]) ?? .user
  }

  mutating func attach() async throws -> String? {
    guard let talk = one(of: talks), let position = try await position(in: talk.session) else {
      return nil
    }
    let entry = try await talk.session.entry(at: position)
    let attachments = (0..<(chance(20) ? 3 : 1)).map { _ in
      var new = attachment(madeBy: maker())
      if let text = entry.segments.first?.text {
        new.segment = 0
        if chance(50) { new.place = .range(0..<min(4, text.utf8.count)) }
      }
      return new
    }
    try await talk.session.attach(attachments, to: position)
    return "\(attachments.count) to \(position) of \(talk.name)"
  }

  /// Attaches what has no entry yet: a call waits for its output, or comes later, or a step made it.
  mutating func attachAhead() async throws -> String? {
    guard let talk = speaker() else { return nil }
    let waiting = try await talk.session.audit().callsWithoutOutput
    let maker: Entry.MadeBy
    if let call = one(of: waiting), chance(60) {
      maker = .toolCall(.init(id: call.id ?? "", tool: call.tool))
    } else if chance(60) {
      // Sooner or later somebody calls with the id.
      maker = .toolCall(.init(id: "call_\(number(1...3))", tool: "Draw"))
    } else {
      maker = .step("Sketch")
    }
    var new = attachment(madeBy: maker)
    new.lane = lane()
    let attached = try await talk.session.attach(new)
    return "'\(attached.label)' in \(talk.name)"
  }

  /// Attaches what was made from an artifact that the store has, and from an entry, or is that artifact itself.
  mutating func attachFromEarlier() async throws -> String? {
    let found = try await choose { try await $0.session.attachments().compactMap(\.artifact) }
    guard let (other, artifact) = found, let talk = chance(70) ? other : speaker() else {
      return nil
    }
    let position = try await position(in: talk.session)
    var new = attachment(madeBy: .step("Edit"))
    if done[.attachFromEarlier] != nil, chance(20) {
      new.source = .artifact(artifact.id)
    } else {
      new.inputs = [.artifact(artifact.id)]
      if let position, chance(50) { new.inputs.append(.entry(position)) }
    }
    let attached = try await talk.session.attach(new, to: chance(70) ? position : nil)
    return "'\(attached.label)' to \(attached.position ?? -1) of \(talk.name)"
  }

  /// Binds an attachment that has no entry to an entry.
  mutating func bind() async throws -> String? {
    let found = try await choose { talk async throws -> [Entry.Attachment] in
      guard try await talk.session.count() > 0 else { return [] }
      return try await talk.session.ownAttachments().filter {
        $0.position == nil && $0.state != .erased
      }
    }
    guard let (talk, attachment) = found, let position = try await position(in: talk.session) else {
      return nil
    }
    try await talk.session.bind(attachment, to: position)
    return "'\(attachment.label)' to \(position) of \(talk.name)"
  }

  /// Attaches something whose bytes are still to come, or are somewhere else.
  mutating func promise() async throws -> String? {
    guard let talk = speaker() else { return nil }
    var new = Entry.NewAttachment.awaited(
      one(of: [.pending, .pending, .remote, .missing]) ?? .pending,
      reference: "https://example.org/\(number(1...1000)).png", madeBy: maker())
    if chance(50) {
      new = .awaited(madeBy: .toolCall(.init(id: "call_\(number(1...3))", tool: "Draw")))
    }
    let position = chance(50) ? try await position(in: talk.session) : nil
    let attached = try await talk.session.attach(new, to: position)
    return "\(attached.state) '\(attached.label)' to \(position ?? -1) of \(talk.name)"
  }

  private mutating func awaited() async throws -> (talk: Talk, found: Entry.Attachment)? {
    try await choose { talk in
      try await talk.session.ownAttachments().filter { $0.artifact == nil && $0.state != .erased }
    }
  }

  mutating func settle() async throws -> String? {
    guard let (talk, attachment) = try await awaited() else { return nil }
    try await talk.session.settle(attachment, with: .bytes(bytes()))
    return "'\(attachment.label)' of \(talk.name)"
  }

  mutating func giveUp() async throws -> String? {
    guard let (talk, attachment) = try await awaited() else { return nil }
    let states: [Entry.Attachment.State] = [.failed, .missing, .superseded]
    let state = states.randomElement(using: &random) ?? .failed
    try await talk.session.settle(attachment, as: state)
    return "'\(attachment.label)' of \(talk.name) as \(state)"
  }

  mutating func supersede() async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.ownAttachments().filter { $0.state == .present }
    }
    guard let (talk, attachment) = found else { return nil }
    try await talk.session.settle(attachment, as: .superseded)
    return "'\(attachment.label)' of \(talk.name)"
  }

  mutating func caption() async throws -> String? {
    let found = try await choose { talk in
      try await talk.session.ownAttachments().filter { $0.state != .erased }
    }
    guard let (talk, attachment) = found else { return nil }
    try await talk.session.caption(attachment, text(), author: chance(50) ? "bob" : nil)
    return "'\(attachment.label)' of \(talk.name)"
  }
}

extension Session {
  /// The attachments that the session recorded itself, which it alone can change.
  func ownAttachments() async throws -> [Entry.Attachment] {
    try await attachments().filter { $0.session == id }
  }
}
