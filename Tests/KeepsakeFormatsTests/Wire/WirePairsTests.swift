import Foundation
import Keepsake
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// What goes from one service's form into another's and back is what went in, but for what the reports of losses name.
///
/// `KEEPSAKE_SEEDS` says how many conversations each pair is tried with.
@Suite("From one service's form into another's, and back")
struct WirePairsTests {
  private static let codecs: [any WireCodec.Type] = [
    OpenAIChatCodec.self, OpenAIResponsesCodec.self, AnthropicCodec.self, GeminiCodec.self,
    MCPCodec.self,
  ]

  private static let pairs = codecs.indices.flatMap { first in
    codecs.indices.map { (first, $0) }
  }

  private static var seeds: UInt64 {
    ProcessInfo.processInfo.environment["KEEPSAKE_SEEDS"].flatMap(UInt64.init) ?? 60
  }

  @Test(arguments: pairs)
  func `nothing is lost that is not told`(first: Int, second: Int) async throws {
    for seed in 0..<Self.seeds {
      var random = RandomConversation(seed: seed &* 31 &+ UInt64(first * 8 + second))
      var ignored = Losses()
      let given = try await Self.through(Self.codecs[first], random.entries(), &ignored)
      var losses = Losses()
      let other = try await Self.through(Self.codecs[second], given, &losses)
      let back = try await Self.through(Self.codecs[first], other, &losses)
      let before = try Said.all(given).without(losses)
      let after = try Said.all(back).without(losses)
      guard before != after else { continue }
      let pair = "\(Self.codecs[first].format.name), \(Self.codecs[second].format.name)"
      Issue.record("\(pair), seed \(seed), lost: \(losses)\n\(before)\n\(after)")
      return
    }
  }

  /// A conversation as a format has it: written, and read again.
  private static func through(
    _ codec: any WireCodec.Type, _ entries: [OutgoingEntry], _ losses: inout Losses
  ) async throws -> [OutgoingEntry] {
    let written = try await codec.written(entries)
    losses.add(written.losses)
    var reading = try codec.read(ForeignFile(written.bytes, name: "conversation.json"))
    var read: [OutgoingEntry] = []
    var remarks: [String] = []
    while let record = try reading.next() {
      read += try record.entries.map { try $0.outgoing() }
      remarks += record.remarks
    }
    #expect(remarks.isEmpty)
    return read
  }
}

extension WireCodec {
  /// A document of these entries, in the form that is usually written.
  static func written(_ entries: [OutgoingEntry]) async throws -> (bytes: [UInt8], losses: Losses) {
    let form = try #require(forms(for: format.name).first)
    var encoder = encoder(form, beside: nil)
    var losses = Losses()
    var records: [OutgoingRecord] = []
    for entry in entries { records += encoder.records(with: entry, &losses) }
    records += encoder.rest()
    var bytes = Array(prefix(form).utf8)
    for (index, record) in records.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try await record.write { bytes += $0 }
    }
    try await encoder.suffix().write { bytes += $0 }
    let unnamed = losses.counts.keys.filter { !Self.format.leavesOut.contains($0) }
    #expect(unnamed == [], "\(format.name) does not say that it leaves these out")
    return (bytes, losses)
  }
}

/// What an entry says to a model: what is compared.
private struct Said: Equatable, CustomStringConvertible {
  enum Piece: Equatable, CustomStringConvertible {
    case text(String)
    case bytes([UInt8], String)
    case remote(String?)

    var description: String {
      switch self {
      case .text(let text): "'\(text)'"
      case .bytes(let bytes, let type): "\(type) \(bytes.count)"
      case .remote(let reference): "remote \(reference ?? "")"
      }
    }
  }

  var kind: Entry.Kind
  var pieces: [Piece] = []
  var calls: [Entry.ToolCall] = []
  var answered: String?
  var signature: String?
  var tools: [String] = []

  var description: String {
    "\(kind) \(pieces) \(calls.map { "\($0.id) \($0.tool) \($0.arguments)" }) \(answered ?? "") \(signature ?? "") \(tools)"
  }

  static func all(_ entries: [OutgoingEntry]) throws -> [Said] {
    entries.map { outgoing in
      let entry = outgoing.entry
      var said = Said(kind: entry.kind)
      said.pieces = entry.segments.enumerated().map { index, segment in
        switch segment.content {
        case .text(let text): return .text(text)
        case .structure(let json, _), .opaque(let json, _): return .text(json.text)
        case .attachment:
          let attachment = outgoing.attachments[index]
          guard case .bytes(let bytes)? = attachment?.content else {
            return .remote(attachment?.reference)
          }
          return .bytes(bytes, attachment?.type.essence ?? "")
        }
      }
      said.calls = entry.toolCalls
      said.answered = entry.callID
      said.signature = entry.signature
      said.tools = ToolDefinition.list(entry.toolDefinitions ?? []).map {
        "\($0?.name ?? "none") \($0?.description?.text ?? "") \($0?.parameters?.text ?? "")"
      }
      return said
    }
  }
}

extension [Said] {
  /// The same without what a report of losses names.
  fileprivate func without(_ losses: Losses) -> [Said] {
    var all = self
    if losses[.reasoning] > 0 { all.removeAll { $0.kind == .reasoning } }
    if losses[.signatures] > 0 { for index in all.indices { all[index].signature = nil } }
    if losses[.conversation] > 0 {
      all.removeAll { ![.toolCalls, .toolOutput].contains($0.kind) }
    }
    if losses[.grouping] > 0 {
      all = all.reduce(into: []) { joined, next in
        if next.kind == .toolCalls, joined.last?.kind == .toolCalls {
          joined[joined.count - 1].calls += next.calls
        } else {
          joined.append(next)
        }
      }
    }
    if losses[.moved] > 0 || losses[.attachments] > 0 {
      for index in all.indices { all[index].pieces.removeAll(where: \.standsForBytes) }
      all.removeAll { $0.pieces.isEmpty && $0.kind != .toolCalls }
    }
    if losses[.details] > 0 {
      for index in all.indices {
        all[index].calls = all[index].calls.map(\.withPlainArguments)
      }
    }
    return all
  }
}

extension Said.Piece {
  /// Whether it is an attachment, or the words for one.
  fileprivate var standsForBytes: Bool {
    if case .text(let text) = self { return text == "[attachment]" }
    return true
  }
}

extension Entry.ToolCall {
  /// The same with arguments that were put into an object taken out of it.
  fileprivate var withPlainArguments: Entry.ToolCall {
    let members = (try? JSON(validating: arguments))?.members
    guard let members, members.count == 1, members[0].key == "arguments" else { return self }
    return Entry.ToolCall(
      id: id, tool: tool, arguments: members[0].value.stringValue ?? members[0].value.text)
  }
}
