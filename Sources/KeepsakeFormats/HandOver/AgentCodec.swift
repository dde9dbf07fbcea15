#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake

/// A codec of a coding agent's sessions.
///
/// A session that was imported from the agent and has not changed is written as it stood. Any other session is handed
/// over: it is written as a new session that the agent lists and continues.
protocol AgentCodec: GrowingCodec {
  associatedtype Writer: HandOverWriter

  /// The limits of the agent's service on images.
  static var handOverLimits: HandOverLimits { get }

  static func writer(_ head: HandOverHead) -> Writer

  /// The agent's name for a person.
  static var program: String { get }

  /// Where the agent looks for a file with this beginning; nil where the agent would not find the file anywhere.
  /// - Parameters:
  ///   - head: The file's first lines.
  ///   - root: The folder in which the agent keeps its sessions.
  ///   - time: The time that the file's name states; nil for the time when the conversation began.
  static func installation(of head: AgentFileHead, below root: String, at time: Date?)
    -> AgentInstallation?
}

extension AgentCodec {
  /// The kinds of content that a hand-over may leave out.
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
    // Entries of other lanes, such as sub-agents, belong into sessions of their own.
    if resumption.lane == nil { resumption.lane = HandOverLane.own }
    let resumed = try await session.resume(resumption)
    var losses = Losses(resumed.notes)
    let entries = part(of: resumed.entries, of: session, from: options.start, &losses)
    let summary = try await session.summary()
    let folder = options.folder ?? FileManager.default.currentDirectoryPath
    let head = HandOverHead(
      id: session.id.text, title: summary.title, folder: folder,
      begun: summary.created)
    var ids = HandOverIDs()
    var limits = HandOverFit(handOverLimits)
    var writer = writer(head)
    for line in writer.beginning() { try await write(line, output) }
    for entry in entries.withJoinedCalls() {
      var outgoing = OutgoingEntry(resumed: entry)
      if !hasBytes { outgoing = outgoing.withoutBytes }
      // The agent has instructions of its own, and its service refuses reasoning that was not made for this account.
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

  /// The entries that are handed over. Where earlier entries are left out, a prompt at the beginning says where they
  /// are.
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
    let id = session.id.text
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
  /// Joins neighbouring entries of calls into one.
  ///
  /// All of them are answered before the model goes on, so the model asked for them together.
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
  /// Returns whether an export in a format gives back the file that the session was imported from, byte for byte.
  package func isGivenBack(as format: String) throws -> Bool {
    try sourceSheet(format: format)?.isWhole ?? false
  }
}

/// The lane of a conversation's own model, in sessions whose entries name lanes.
private enum HandOverLane {
  static let own = "main"
}

extension OutgoingRecord {
  /// Returns the record without its first and last bytes, and with other bytes before and after it.
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
  /// The time as agents write it: `2026-11-20T10:00:00.000Z`.
  var agentTime: String { formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
}
