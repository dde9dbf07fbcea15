public import Keepsake

/// Counts what an export left out or changed because the format can't express it, by kind.
public struct Losses: Sendable, Hashable, Codable, CustomStringConvertible {
  /// A kind of content that a format can't express.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Events, which are not part of the conversation.
    case events
    /// Entries other than calls and outputs, for a format that has nothing else.
    case conversation
    /// The contents of entries, for a format that records only that the entries exist.
    case contents
    /// Entries that are shown to the person and never to a model.
    case personOnly
    /// Entries that failed, were cancelled or interrupted, or were superseded by another attempt.
    case unfinished
    /// Entries that were taken back when the conversation returned to an earlier place.
    case takenBack
    /// Entries whose content was erased.
    case erased
    /// Entries of lanes other than the one that was asked for.
    case otherLanes
    /// Entries of turns that exceed the budget of what a model may be given.
    case overBudget
    /// Entries of turns that a summary replaces, because they exceed the budget.
    case condensed
    /// Outputs whose call is missing or left out.
    case withoutCall
    /// The boundary between two entries of calls, where the format can't tell them from calls that were made
    /// together.
    case grouping
    /// Reasoning, for a format that has none.
    case reasoning
    /// Instructions, where the program that continues the session has its own.
    case instructions
    /// Ids of calls that were replaced, because they break the format's rules for ids.
    case ids
    /// Signatures of reasoning that another service made, which the format's own service would refuse.
    case signatures
    /// The structure of structured contents, which are written as the text of their JSON.
    case structures
    /// Entries and contents of another format, which this format can't hold.
    case foreign
    /// Attachments in whose place a text with their label and caption is written.
    case attachments
    /// Attachments that the format can't hold in their entry, so that a prompt after the entry holds them.
    case moved
    /// Attachments of an entry that stand in none of its segments.
    case loose
    /// Options and metadata for which the format has no member.
    case details
    /// Drafts, which are not entries yet.
    case drafts
    /// Titles, tags and turns of sessions that are exported only because a fork needs their entries.
    case parents

    /// A phrase that names the kind.
    public var title: String {
      switch self {
      case .events: "events"
      case .conversation: "entries that are no calls and no outputs"
      case .contents: "what entries say"
      case .personOnly: "entries for the person alone"
      case .unfinished: "unfinished and superseded entries"
      case .takenBack: "entries that were taken back"
      case .erased: "erased entries"
      case .otherLanes: "entries of other lanes"
      case .overBudget: "entries that do not fit"
      case .condensed: "entries that a summary stands for"
      case .withoutCall: "outputs without a call"
      case .grouping: "where calls that follow others begin"
      case .reasoning: "reasoning"
      case .instructions: "instructions"
      case .ids: "ids of calls, which get others"
      case .signatures: "signatures of reasoning"
      case .structures: "the structure of contents, which become text"
      case .foreign: "pieces that only another format knows"
      case .attachments: "the bytes of some attachments"
      case .moved: "the place of some attachments, which move to a prompt behind"
      case .loose: "attachments beside the content"
      case .details: "details of entries"
      case .drafts: "drafts"
      case .parents: "titles, tags and turns of sessions that came along"
      }
    }

    /// A phrase for a number of losses of the kind.
    func words(_ count: Int) -> String {
      let one = count == 1
      return switch self {
      case .events: "\(count) event\(one ? "" : "s")"
      case .conversation:
        "\(count) \(one ? "entry that is" : "entries that are") no call and no output"
      case .contents: "what \(count) \(one ? "entry says" : "entries say")"
      case .personOnly: "\(count) \(one ? "entry" : "entries") for the person alone"
      case .unfinished: "\(count) unfinished or superseded \(one ? "entry" : "entries")"
      case .takenBack:
        "\(count) \(one ? "entry that was" : "entries that were") taken back"
      case .erased: "\(count) erased \(one ? "entry" : "entries")"
      case .otherLanes: "\(count) \(one ? "entry" : "entries") of other lanes"
      case .overBudget: "\(count) \(one ? "entry" : "entries") that did not fit"
      case .condensed: "\(count) \(one ? "entry" : "entries") that a summary stands for"
      case .withoutCall: "\(count) \(one ? "output" : "outputs") without a call"
      case .grouping:
        "the beginning of \(count) \(one ? "entry" : "entries") of calls behind others"
      case .reasoning: "\(count) reasoning \(one ? "entry" : "entries")"
      case .instructions: "\(count) \(one ? "entry" : "entries") of instructions"
      case .ids:
        "the \(one ? "id" : "ids") of \(count) \(one ? "call" : "calls"), with \(one ? "another" : "others") now"
      case .signatures: "\(count) signature\(one ? "" : "s") of reasoning"
      case .structures:
        "the structure of \(count) \(one ? "content" : "contents"), which \(one ? "is" : "are") text now"
      case .foreign: "\(count) foreign \(one ? "piece" : "pieces")"
      case .attachments: "the bytes of \(count) attachment\(one ? "" : "s")"
      case .moved: "the place of \(count) attachment\(one ? "" : "s"), now in a prompt behind"
      case .loose: "\(count) attachment\(one ? "" : "s") beside the content"
      case .details: "\(count) \(one ? "detail" : "details") of entries"
      case .drafts: "\(count) draft\(one ? "" : "s")"
      case .parents: "title, tags and turns of \(count) session\(one ? "" : "s") that came along"
      }
    }
  }

  /// The number of losses by kind; kinds without a loss are absent.
  public private(set) var counts: [Kind: Int] = [:]

  /// Creates a value without losses.
  public init() {}

  /// Whether nothing was lost.
  public var isEmpty: Bool { counts.isEmpty }

  /// The number of losses of a kind.
  public subscript(kind: Kind) -> Int { counts[kind] ?? 0 }

  /// The losses in words, such as "2 events, 1 reasoning entry"; "nothing" where there are none.
  public var description: String {
    if isEmpty { return "nothing" }
    return Kind.allCases.filter { self[$0] > 0 }.map { $0.words(self[$0]) }
      .joined(separator: ", ")
  }

  /// The kinds of content that no list of messages for a model can express.
  static let ofMessages: Set<Kind> = [
    .events, .personOnly, .unfinished, .takenBack, .erased, .withoutCall, .structures, .foreign,
    .attachments,
    .loose, .details,
  ]

  mutating func add(_ kind: Kind, _ count: Int = 1) {
    if count > 0 { counts[kind, default: 0] += count }
  }

  /// Takes back one loss of a kind.
  mutating func remove(_ kind: Kind) {
    guard let count = counts[kind] else { return }
    counts[kind] = count > 1 ? count - 1 : nil
  }

  mutating func add(_ other: Losses) {
    for (kind, count) in other.counts { add(kind, count) }
  }
}

extension Losses {
  /// Counts what a resumed session leaves out or replaces. Notes on what was added, or only noticed, are no losses.
  /// - Parameter notes: The notes of a resumption.
  public init(_ notes: [Resumption.Note]) {
    for note in notes where note.action == .leftOut || note.action == .replaced {
      if let kind = Kind(note.reason) { add(kind) }
    }
  }
}

extension Losses.Kind {
  fileprivate init?(_ reason: Resumption.Reason) {
    switch reason {
    case .hidden: self = .personOnly
    case .event: self = .events
    case .takenBack: self = .takenBack
    case .lane: self = .otherLanes
    case .status, .turn: self = .unfinished
    case .erased: self = .erased
    case .overBudget: self = .overBudget
    case .condensed: self = .condensed
    case .withItsCall, .outputWithoutCall: self = .withoutCall
    case .image: self = .attachments
    case .callWithoutOutput, .promptWithoutAnswer, .noInstructions, .openTurn, .interruptedDraft,
      .reference:
      return nil
    }
  }
}

extension Losses {
  /// Reads the losses from an object such as `{"events": 2}`; kinds that this version does not know are ignored.
  public init(from decoder: any Decoder) throws {
    let names = try decoder.singleValueContainer().decode([String: Int].self)
    for (name, count) in names { if let kind = Kind(rawValue: name) { counts[kind] = count } }
  }

  /// Writes the losses as an object such as `{"events": 2}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) }))
  }
}
