import Keepsake

/// An answer of a model: its reasoning, its response and its calls, in neighbouring entries.
///
/// A store does not record where one answer ends and the next begins, so it follows from the order of the entries.
struct ModelAnswer {
  /// The largest number of entries in an answer, so that an answer fits into memory. More entries are several
  /// answers.
  private static let limit = 256

  private(set) var entries: [OutgoingEntry]

  /// Returns whether an entry is part of a model's answer.
  static func holds(_ entry: Entry) -> Bool {
    switch entry.kind {
    case .reasoning, .response, .toolCalls: true
    case .instructions, .prompt, .toolOutput, .event, .unknown: false
    }
  }

  /// Begins an answer with its first entry.
  init(_ first: OutgoingEntry) { entries = [first] }

  /// Adds the next entry, where it belongs to the answer. An answer has at most one response, one model and one lane.
  /// - Returns: Whether the entry belongs to the answer.
  mutating func add(_ next: OutgoingEntry) -> Bool {
    let entry = next.entry
    guard Self.holds(entry), entries.count < Self.limit,
      entry.lane == entries[0].entry.lane, fits(entry.model), goesOn(with: entry.kind)
    else { return false }
    entries.append(next)
    return true
  }

  /// The model of the answer; nil where it is not known.
  var model: String? { entries.lazy.compactMap(\.entry.model).first }

  /// The calls of the answer, each with its place in the session.
  var calls: [(place: Entry.Attachment.CallReference, call: Entry.ToolCall)] {
    entries.flatMap { entry in
      entry.entry.toolCalls.enumerated().map { ordinal, call in
        (.init(position: entry.entry.position ?? 0, ordinal: ordinal), call)
      }
    }
  }

  /// Returns whether an entry of a kind can continue the answer. After a response only calls can follow.
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
  /// Adds an entry to the answer, where there is one and the entry belongs to it.
  /// - Returns: Whether the entry belongs to the answer.
  mutating func add(_ entry: OutgoingEntry) -> Bool {
    // The optional must not hold the answer as well, or each addition would copy it.
    guard var answer = take() else { return false }
    let isPart = answer.add(entry)
    self = answer
    return isPart
  }
}
