import Keepsake

/// What a model said when it was asked once: its reasoning, its response and its calls, which stand one behind the other.
///
/// No store says where one answer ends and the next one begins; it shows from their order alone.
struct ModelAnswer {
  /// More entries than this are several answers, so that an answer fits into memory.
  private static let limit = 256

  private(set) var entries: [OutgoingEntry]

  /// Whether a model said an entry, so that it is a part of an answer.
  static func holds(_ entry: Entry) -> Bool {
    switch entry.kind {
    case .reasoning, .response, .toolCalls: true
    case .instructions, .prompt, .toolOutput, .event, .unknown: false
    }
  }

  /// Begins with an entry that a model said.
  init(_ first: OutgoingEntry) { entries = [first] }

  /// Adds the entry behind it, where that belongs to the same answer.
  /// - Returns: Whether it does. No answer has two responses, two models or two lanes.
  mutating func add(_ next: OutgoingEntry) -> Bool {
    let entry = next.entry
    guard Self.holds(entry), entries.count < Self.limit,
      entry.lane == entries[0].entry.lane, fits(entry.model), goesOn(with: entry.kind)
    else { return false }
    entries.append(next)
    return true
  }

  /// The model that gave it, where that is known.
  var model: String? { entries.lazy.compactMap(\.entry.model).first }

  /// Its calls, each with its place in the session.
  var calls: [(place: Entry.Attachment.CallReference, call: Entry.ToolCall)] {
    entries.flatMap { entry in
      entry.entry.toolCalls.enumerated().map { ordinal, call in
        (.init(position: entry.entry.position ?? 0, ordinal: ordinal), call)
      }
    }
  }

  /// Who has responded begins anew, to respond again or to reason; calls may follow.
  private func goesOn(with kind: Entry.Kind) -> Bool {
    switch kind {
    case .response: !entries.contains { $0.entry.kind == .response }
    case .reasoning: entries.last?.entry.kind != .response
    default: true
    }
  }

  private func fits(_ other: String?) -> Bool {
    guard let other, let model else { return true }
    return other == model
  }
}

extension ModelAnswer? {
  /// Adds an entry to the answer, if there is one and the entry belongs to it.
  /// - Returns: Whether it does.
  mutating func add(_ entry: OutgoingEntry) -> Bool {
    // While both hold the answer, each addition copies it.
    guard var answer = take() else { return false }
    let isPart = answer.add(entry)
    self = answer
    return isPart
  }
}
