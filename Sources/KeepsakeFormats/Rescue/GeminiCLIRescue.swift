import KeepsakeFiles
import Keepsake

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Heals a session of Gemini CLI with the smallest changes that make it possible to continue the session.
///
/// The program deletes a file that it can't read, so the whole new file has to be readable. Only messages of the live
/// conversation are healed: not earlier versions, and not those that were taken back.
struct GeminiCLIRescue: RescuedConversation {
  static let format = GeminiCLICodec.name
  static let program = "Gemini CLI"
  static let usualLimits = RescueLimits()

  var report: RescueReport
  private var conversation: GeminiCLIConversation
  private let options: RescueOptions
  private let rules: GeminiRules
  private var numbers = MediaNumbers()

  /// Returns whether a file holds messages of Gemini CLI, even without the header, which is most often missing.
  static func recognises(_ head: FileHead) -> Bool {
    head.lines.contains { line in
      line.has("/id", "/timestamp", "/content")
        && ["user", "gemini"].contains(line.text(at: "/type"))
    }
  }

  init(_ file: ForeignFile, options: RescueOptions, limits: RescueLimits) throws {
    self.options = options
    rules = GeminiRules(limits: limits)
    conversation = try GeminiCLIConversation(file)
    guard try conversation.messages().contains(where: \.isSaid) else {
      throw FormatError(
        .unsupported,
        "Can't rescue '\(file.name)': it has no message that a conversation could go on from. Gemini CLI turns an old '.json' session into one of lines when it resumes it; rescue that.",
        file: file.name)
    }
    var session: String?
    if let header = conversation.header, case .header(let id, _)? = conversation.facts[header] {
      session = id
    }
    report = RescueReport(
      program: Self.program, sessionID: session, title: nil, folder: options.folder, version: nil,
      heals: { _ in nil })
    for message in try conversation.messages() {
      for media in message.parts.compactMap(\.media) {
        numbers.add(isImage: media.isImage, line: message.line)
      }
    }
    try heal()
  }

  func number(_ line: Int) -> Int { conversation.number(line) }

  var padded: [Int] { conversation.lines.padded }

  mutating func change(_ round: RemedyRound) throws {
    numbers.remove(in: round)
    try conversation.change(round)
  }

  func faults() throws -> [RescueReport.Finding] {
    let messages = try conversation.messages()
    var faults = rules.faults(in: messages).map { fault in
      RescueReport.Finding(
        cause: fault.cause, line: number(messages[fault.message].line), detail: fault.detail)
    }
    if conversation.header == nil {
      faults.append(
        .init(
          cause: .headerMissing, line: 1,
          detail: "Nothing says which project it belongs to; --folder may."))
    }
    return faults
  }

  func extent() throws -> RescueReport.Extent {
    let messages = try conversation.messages().filter(\.isSaid)
    var extent = RescueReport.Extent()
    extent.lines = conversation.lines.order.count
    extent.sent = Set(messages.map(\.line)).count
    extent.images = messages.reduce(0) { $0 + $1.parts.count { $0.media?.isImage ?? false } }
    extent.bytes = messages.reduce(0) { $0 + $1.range.count }
    return extent
  }

  func complaint() throws -> (line: Int, text: String)? {
    let last = try conversation.messages().last { $0.isSaid || $0.complaint != nil }
    return last.flatMap { message in message.complaint.map { (message.line, $0) } }
  }
}

// MARK: - What heals

extension GeminiCLIRescue {
  func remedies() throws -> [Remedy] {
    let messages = try conversation.messages()
    let damaged = lines()
    if !damaged.isEmpty { return damaged }
    let headless = try head(messages)
    if !headless.isEmpty { return headless }
    let refused = try thinking(in: messages)
    if !refused.isEmpty { return refused }
    let parts = rules.parts(of: messages).compactMap { remedy($0, in: messages) }
    if !parts.isEmpty { return parts }
    var found: [Remedy] = []
    var answered: Set<Int> = []
    for fault in rules.pairing(in: messages) {
      if fault.cause == .callUnanswered, fault.part != nil {
        // One remedy answers all calls of a message.
        guard answered.insert(fault.message).inserted else { continue }
        found.append(try answer(fault, in: messages))
      } else if fault.cause == .callUnanswered {
        if let remedy = try answerBeside(fault, in: messages) { found.append(remedy) }
      } else if let remedy = try text(fault, in: messages) {
        found.append(remedy)
      }
    }
    return found
  }

  private func lines() -> [Remedy] {
    conversation.lines.order.compactMap { line in
      if conversation.facts[line] != nil { return nil }
      var remedy = Remedy(.lineDamaged, line, "It is no object of JSON.")
      remedy.leavesOut = [(line, .leaveOut)]
      return remedy
    }
  }

  /// Adds a header where the file has none, because without it the program hides or deletes the session.
  private func head(_ messages: [GeminiMessage]) throws -> [Remedy] {
    guard conversation.header == nil else { return [] }
    var remedy = Remedy(
      .headerMissing, HeldLines.beginning, "The first line does not say which session it is.")
    remedy.adds = .head
    let later = conversation.lines.order.first { line in
      if case .header? = conversation.facts[line] { return true }
      return false
    }
    if let later {
      remedy.addition = (try conversation.lines.bytes(later), "", HeldLines.beginning)
      return [remedy]
    }
    guard let folder = options.folder, let first = messages.first else { return [] }
    let bytes = try conversation.lines.bytes(first.line)
    let time = JSONObject(first.range, in: bytes)?.string("timestamp") ?? Self.time(Date())
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("sessionId", UUID().text)
    writer.fixed("projectHash", SHA256.digest(of: Array(folder.utf8)).hex)
    writer.fixed("startTime", time)
    writer.fixed("lastUpdated", time)
    writer.fixed("kind", "main")
    writer.endObject()
    remedy.addition = (writer.bytes, "", HeldLines.beginning)
    return [remedy]
  }

  /// Removes signatures that the service refused in the last request, or all of them where the person asks for that.
  private func thinking(in messages: [GeminiMessage]) throws -> [Remedy] {
    let isRefused =
      try complaint()?.text.lowercased().contains("thought") ?? false
    guard options.stripsThinking || isRefused else { return [] }
    let detail =
      isRefused ? "The last request failed over it." : "It is asked for that all of it goes."
    return messages.flatMap { message in
      message.parts.compactMap { part in
        part.signature.map { _ in strip(part, of: message, .thinkingRefused, detail) }
      }
    }
  }

  private func strip(
    _ part: GeminiSentPart, of message: GeminiMessage, _ cause: RescueCause, _ detail: String
  ) -> Remedy {
    var remedy = Remedy(cause, message.line, detail)
    if let signature = part.signature {
      remedy.replace(signature, of: message.line, with: [], .strip, at: part.pointer)
    }
    return remedy
  }

  private func remedy(
    _ fault: GeminiRules.Fault, in messages: [GeminiMessage]
  ) -> Remedy? {
    let message = messages[fault.message]
    guard let number = fault.part else { return nil }
    let part = message.parts[number]
    if fault.cause == .thinkingUnsigned {
      return strip(part, of: message, fault.cause, fault.detail)
    }
    guard let media = part.media else { return nil }
    var remedy = Remedy(fault.cause, message.line, fault.detail)
    let before = messages.prefix(fault.message).filter { $0.line == message.line }.flatMap(\.parts)
    let index = (before + message.parts.prefix(number)).count { $0.media != nil }
    let label = RescueText.label(
      media, number: numbers[message.line, index], isKept: options.isKept)
    remedy.replace(
      part.range, of: message.line, with: Self.text(label), .label, at: part.pointer)
    remedy.label = (message.line, index, media.digest)
    return remedy
  }

  private static func text(_ text: String) -> [UInt8] {
    Array("{\"text\":".utf8) + RescueText.json(text) + [UInt8(ascii: "}")]
  }

  /// Replaces a response without a call by a text.
  private func text(_ fault: GeminiRules.Fault, in messages: [GeminiMessage]) throws -> Remedy? {
    let message = messages[fault.message]
    guard let number = fault.part else { return nil }
    let part = message.parts[number]
    let bytes = try conversation.lines.bytes(message.line)
    let said = JSONText.value(part.range, in: bytes)?.text ?? ""
    var remedy = Remedy(fault.cause, message.line, fault.detail)
    remedy.replace(
      part.range, of: message.line,
      with: Self.text("[The result of a call that is not in this conversation:]\n\(said)"), .text,
      at: part.pointer)
    return remedy
  }

  // MARK: Answers

  /// The response for a call without a result.
  private static func response(id: String?, name: String?) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("functionResponse")
    writer.beginObject()
    writer.member("id", id)
    writer.fixed("name", name ?? "")
    writer.key("response")
    writer.beginObject()
    writer.fixed("error", RescueText.unanswered)
    writer.endObject()
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  /// Adds a result to a call in a message's own list.
  private func answerBeside(
    _ fault: GeminiRules.Fault, in messages: [GeminiMessage]
  ) throws -> Remedy? {
    let message = messages[fault.message]
    guard let number = fault.call else { return nil }
    let call = message.calls[number]
    var remedy = Remedy(fault.cause, message.line, fault.detail)
    let result =
      [UInt8(ascii: "[")] + Self.response(id: call.id, name: call.name) + [UInt8(ascii: "]")]
    if let range = call.result {
      remedy.replace(
        range, of: message.line, with: result, .answer, at: "\(call.pointer)/result")
    } else {
      let place = call.range.lowerBound + 1
      let bytes = try conversation.lines.bytes(message.line)
      let isEmpty = JSONObject(call.range, in: bytes)?.members.isEmpty ?? true
      remedy.replace(
        place..<place, of: message.line,
        with: Array("\"result\":".utf8) + result + (isEmpty ? [] : [UInt8(ascii: ",")]), .answer,
        at: "\(call.pointer)/result")
    }
    return remedy
  }

  /// Answers the calls among a message's parts, in the message that answers other calls of them, or in a new message.
  private func answer(
    _ fault: GeminiRules.Fault, in messages: [GeminiMessage]
  ) throws -> Remedy {
    let message = messages[fault.message]
    let next = messages[(fault.message + 1)...].first(where: \.isSaid)
    let open = GeminiRules.unanswered(message, by: next).map { message.parts[$0] }
    var remedy = Remedy(fault.cause, message.line, fault.detail)
    let responses = Array(
      open.map { Self.response(id: $0.id, name: $0.name) }.joined(separator: [UInt8(ascii: ",")]))
    if let next, let list = next.list, next.parts.contains(where: { $0.kind == .response }) {
      let end = list.upperBound - 1
      remedy.replace(
        end..<end, of: next.line, with: [UInt8(ascii: ",")] + responses, .answer,
        at: "\(next.pointer)/content")
      return remedy
    }
    let bytes = try conversation.lines.bytes(message.line)
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("id", UUID().text)
    writer.member("timestamp", JSONObject(message.range, in: bytes)?.json("timestamp"))
    writer.fixed("type", "user")
    writer.endObject()
    let made =
      writer.bytes.dropLast() + Array(",\"content\":[".utf8) + responses + Array("]}".utf8)
    if message.index == nil {
      remedy.addition = (Array(made), "", message.line)
    } else {
      let end = message.range.upperBound
      remedy.replace(
        end..<end, of: message.line, with: [UInt8(ascii: ",")] + made, .answer,
        at: message.pointer)
    }
    return remedy
  }
}

// MARK: - The new file

extension GeminiCLIRescue {
  private static func time(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  func fileName(_ id: UUID, at time: Date) -> String {
    let minute = Self.time(time).prefix(16).replacing(":", with: "-")
    return "session-\(minute)-\(id.text.prefix(8)).jsonl"
  }

  /// The id for a file name, which holds only the id's first eight digits; the others are chosen at random.
  func id(inFileName name: String) -> UUID? {
    guard name.hasPrefix("session-"), name.hasSuffix(".jsonl") else { return nil }
    let digits = name.dropLast(6).suffix(8)
    return UUID(uuidString: "\(digits)\(UUID().uuidString.dropFirst(8))")
  }

  func resuming(_ id: UUID) -> String { "gemini --resume \(id.text)" }

  func write(as id: UUID, _ put: ([UInt8]) throws -> Void) throws {
    let session = RescueText.json(id.text)
    for line in conversation.lines.order {
      var bytes = try conversation.lines.bytes(line)
      if case .header(_, let range)? = conversation.facts[line] {
        var patch = LinePatch()
        patch.replace(range, with: session)
        bytes = patch.applied(to: bytes)
      }
      try put(bytes + [0x0A])
    }
    // The program deletes sessions by their `lastUpdated`, so that is set to the current time.
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("$set")
    writer.beginObject()
    writer.fixed("lastUpdated", Self.time(Date()))
    writer.endObject()
    writer.endObject()
    try put(writer.bytes + [0x0A])
  }
}
