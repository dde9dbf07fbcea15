#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake

/// A codec of a coding agent's sessions. What came from the agent and has not changed since is given back as it stood; any
/// other session is handed over: written as one that the agent lists and goes on with.
protocol AgentCodec: GrowingCodec {
  associatedtype Writer: HandOverWriter

  /// What the agent's service takes.
  static var handOverLimits: HandOverLimits { get }

  static func writer(_ head: HandOverHead) -> Writer

  /// As a person calls the agent.
  static var program: String { get }

  /// Where the agent looks for a file that begins so; nil for one that it would not find anywhere.
  /// - Parameters:
  ///   - head: The file's first lines.
  ///   - root: The place where the agent keeps its sessions.
  ///   - time: When it was made, where that is not when its conversation began.
  static func installation(of head: AgentFileHead, below root: String, at time: Date?)
    -> AgentInstallation?
}

/// Turns what a model is to be given into the lines of an agent's file.
protocol HandOverWriter {
  /// The lines that stand before all others.
  mutating func beginning() -> [OutgoingRecord]

  /// The lines that the next entry ends.
  mutating func lines(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord]

  /// The lines that stand at the end.
  mutating func rest(_ losses: inout Losses) -> [OutgoingRecord]
}

/// What is to be said of a handed over session as a whole.
struct HandOverHead {
  let id: String
  let title: String?
  /// The folder that it belongs to.
  let folder: String
  let begun: Date
}

extension AgentCodec {
  /// What a hand-over may leave out.
  static var handOverLosses: Set<Losses.Kind> {
    Losses.ofMessages.union([
      .reasoning, .grouping, .moved, .instructions, .ids, .otherLanes, .signatures,
    ])
  }

  static func write(
    _ session: Session, as name: String, _ options: ExportOptions, into output: ExportOutput
  ) async throws -> Losses {
    let hasBytes = options.artifacts != ExportOptions.Artifacts.none
    if options.resumption == nil, hasBytes, options.folder == nil, options.start == nil,
      let sheet = try session.sourceSheet(format: format.name), sheet.isWhole
    {
      for piece in sheet.pieces { try sheet.replay(piece, into: output.take) }
      return sheet.lossesOfWhole
    }
    return try await handOver(session, options, hasBytes: hasBytes, into: output)
  }

  private static func handOver(
    _ session: Session, _ options: ExportOptions, hasBytes: Bool, into output: ExportOutput
  ) async throws -> Losses {
    var resumption = options.resumption ?? Resumption.Options()
    // What others than the conversation's own model said and did stands in sessions of their own.
    if resumption.lane == nil { resumption.lane = HandOverLane.own }
    let resumed = try await session.resume(resumption)
    var losses = Losses(resumed.notes)
    let entries = part(of: resumed.entries, of: session, from: options.start, &losses)
    let summary = try await session.summary()
    let folder = options.folder ?? FileManager.default.currentDirectoryPath
    let head = HandOverHead(
      id: session.id.uuidString.lowercased(), title: summary.title, folder: folder,
      begun: summary.created)
    var ids = HandOverIDs()
    var limits = HandOverFit(handOverLimits)
    var writer = writer(head)
    for line in writer.beginning() { try await write(line, output) }
    for entry in entries.withJoinedCalls() {
      var outgoing = OutgoingEntry(resumed: entry)
      if !hasBytes { outgoing = outgoing.withoutBytes }
      // The agent has instructions of its own, and its service takes no thought that it did not make for this account.
      if entry.kind == .instructions || entry.kind == .reasoning {
        losses.add(entry.kind == .reasoning ? .reasoning : .instructions)
        continue
      }
      if entry.kind == .unknown {
        losses.add(.foreign)
        continue
      }
      limits.fit(&outgoing)
      guard ids.rename(in: &outgoing, &losses) else {
        losses.add(.withoutCall)
        continue
      }
      for line in writer.lines(with: outgoing, &losses) { try await write(line, output) }
    }
    for line in writer.rest(&losses) { try await write(line, output) }
    return losses
  }

  /// What is carried over. Where that is not all, a prompt before it says where the rest is.
  private static func part(
    of entries: [Entry], of session: Session, from start: Int?, _ losses: inout Losses
  ) -> [Entry] {
    var part = entries[...]
    if let start {
      part = part.drop { $0.kind != .prompt || $0.position ?? 0 < start }
      losses.add(.overBudget, entries.count - part.count)
    }
    guard losses[.overBudget] > 0, let first = part.lazy.compactMap(\.position).first, first > 0
    else { return Array(part) }
    let id = session.id.uuidString.lowercased()
    let text =
      "[Earlier in this conversation: entries 0–\(first - 1) of session \(id), in Keepsake.]"
    return [Entry(.prompt, segments: [.text(text)], created: part.first?.created)] + part
  }

  private static func write(_ line: OutgoingRecord, _ output: ExportOutput) async throws {
    try await line.write(output.take)
    try output.take([0x0A])
  }
}

extension [Entry] {
  /// Joins calls that stand behind one another into one entry: all of them are answered before the model goes on, so it
  /// asked for them together.
  fileprivate func withJoinedCalls() -> [Entry] {
    reduce(into: []) { joined, next in
      if let last = joined.last, last.kind == .toolCalls, next.kind == .toolCalls,
        last.metadata == nil, next.metadata == nil, last.segments.isEmpty, next.segments.isEmpty
      {
        joined[joined.count - 1].toolCalls += next.toolCalls
      } else {
        joined.append(next)
      }
    }
  }
}

extension Session {
  /// Whether an export in a format gives back the file that the session was imported from, as it stood.
  package func isGivenBack(as format: String) throws -> Bool {
    try sourceSheet(format: format)?.isWhole ?? false
  }
}

/// The lane of a conversation's own model, where entries name lanes at all.
private enum HandOverLane {
  static let own = "main"
}

/// What an agent's service takes of images.
struct HandOverLimits: Sendable {
  var types: Set<String> = SentMedia.images
  /// Of the base64 of one.
  var bytes = 5_242_880
  var side = 8_000
  /// The longest side where there are more than so many.
  var sideAmongMany = 2_000
  var many = 20
  var count = 100
}

/// Puts words in the place of the images that a service would refuse.
struct HandOverFit {
  private let limits: HandOverLimits
  private var count = 0

  init(_ limits: HandOverLimits) { self.limits = limits }

  mutating func fit(_ entry: inout OutgoingEntry) {
    for index in entry.attachments.keys.sorted() {
      guard let attachment = entry.attachments[index], !takes(attachment) else { continue }
      entry.attachments[index]?.content = .absent
    }
    for index in entry.loose.indices where entry.entry.kind == .prompt {
      if !takes(entry.loose[index]) { entry.loose[index].content = .absent }
    }
  }

  private mutating func takes(_ attachment: OutgoingAttachment) -> Bool {
    guard case .artifact(let artifact) = attachment.content else { return true }
    // What a reader kept as it was is no image.
    if OpaqueType.name(of: attachment.mediaType) != nil { return true }
    guard limits.types.contains(artifact.sniffedType.essence),
      (artifact.size + 2) / 3 * 4 <= limits.bytes, count < limits.count
    else { return false }
    let side = artifact.pixelSize.map { max($0.width, $0.height) } ?? 0
    // How many come is not known yet, so those behind the first few are to be small.
    guard side <= (count < limits.many ? limits.side : limits.sideAmongMany) else { return false }
    count += 1
    return true
  }
}

/// The ids of calls as every service takes them: letters, digits, `_` and `-`, at most 64, and none of them twice.
struct HandOverIDs {
  private var used: Set<String> = []
  /// What the calls are called now whose outputs are still to come, the oldest first.
  private var names: [String: [String]] = [:]

  /// - Returns: Whether an output has a call that has none yet.
  mutating func rename(in entry: inout OutgoingEntry, _ losses: inout Losses) -> Bool {
    for index in entry.entry.toolCalls.indices {
      let old = entry.entry.toolCalls[index].id
      let new = free(old)
      names[old, default: []].append(new)
      if new == old { continue }
      losses.add(.ids)
      let call = entry.entry.toolCalls[index]
      entry.entry.toolCalls[index] = Entry.ToolCall(
        id: new, tool: call.tool, arguments: call.arguments)
    }
    guard entry.entry.kind == .toolOutput else { return true }
    guard let id = entry.entry.callID, let new = names[id]?.first else { return false }
    names[id]?.removeFirst()
    entry.entry.callID = new
    return true
  }

  private mutating func free(_ id: String) -> String {
    var plain = String(
      id.unicodeScalars.prefix(60).map { Self.isPlain($0) ? Character($0) : "_" })
    if plain.isEmpty { plain = "call" }
    var new = plain
    var number = 2
    while !used.insert(new).inserted {
      new = "\(plain)_\(number)"
      number += 1
    }
    return new
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }
}

extension OutgoingRecord {
  /// The record with something before and behind it, and without so much of its own.
  func framed(
    by before: [UInt8], dropping head: Int = 0, _ tail: Int = 0, and after: [UInt8]
  ) -> OutgoingRecord {
    OutgoingRecord(
      bytes: before + bytes[head..<(bytes.count - tail)] + after,
      holes: holes.map {
        Hole(
          position: $0.position - head + before.count, attachment: $0.attachment,
          isBase64: $0.isBase64)
      })
  }
}

extension Date {
  /// As agents write times: `2026-11-20T10:00:00.000Z`.
  var agentTime: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
