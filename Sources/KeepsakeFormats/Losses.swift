public import Keepsake

/// What an exported file does not say of a session, because its format has no way to: kinds, and how many of each.
public struct Losses: Sendable, Hashable, Codable, CustomStringConvertible {
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Entries that stand beside the conversation.
    case events
    /// Entries that are neither calls nor their outputs, where a format has nothing else.
    case conversation
    /// What entries say, where a format has only that they are there.
    case contents
    /// Entries that no model may see.
    case personOnly
    /// Entries that failed, were cancelled or interrupted, or that another attempt took the place of.
    case unfinished
    /// Entries that the conversation went back to before.
    case takenBack
    /// Entries whose content was erased.
    case erased
    /// Entries of another lane than the one that was asked for.
    case otherLanes
    /// Entries of turns that did not fit into what a model may be given.
    case overBudget
    /// Entries of turns that a summary stands for, because they did not fit.
    case condensed
    /// Outputs whose call is not there, or is left out.
    case withoutCall
    /// Entries of calls that directly follow others, which the format can't tell from calls that were asked for together.
    case grouping
    /// Reasoning, where the format has none.
    case reasoning
    /// Instructions, where the program that goes on has its own.
    case instructions
    /// Ids of calls, which are others now, as the format has rules for them.
    case ids
    /// Signatures of reasoning, which only the service that made them takes back.
    case signatures
    /// Structured contents, which stand in the file as the text of their JSON.
    case structures
    /// Foreign entries and contents that this format does not have.
    case foreign
    /// Attachments whose place a text with their label and caption takes.
    case attachments
    /// Attachments whose bytes stand in a prompt behind their entry, which can't hold them in this format.
    case moved
    /// Attachments that hang on an entry and stand at no place in it.
    case loose
    /// Options and metadata that the format has no place for.
    case details
    /// Drafts, which are no entries yet.
    case drafts
    /// What is said of sessions that came along only because a fork needs them: their titles, tags and turns.
    case parents

    /// What is lost, in words.
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

    /// How many of them, in words.
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

  public private(set) var counts: [Kind: Int] = [:]

  public init() {}

  public var isEmpty: Bool { counts.isEmpty }

  public subscript(kind: Kind) -> Int { counts[kind] ?? 0 }

  /// In words: "2 events, 1 reasoning entry"; "nothing" where nothing was lost.
  public var description: String {
    if isEmpty { return "nothing" }
    return Kind.allCases.filter { self[$0] > 0 }.map { $0.words(self[$0]) }
      .joined(separator: ", ")
  }

  /// What a list of messages for a model can't say.
  static let ofMessages: Set<Kind> = [
    .events, .personOnly, .unfinished, .takenBack, .erased, .withoutCall, .structures, .foreign,
    .attachments,
    .loose, .details,
  ]

  mutating func add(_ kind: Kind, _ count: Int = 1) {
    if count > 0 { counts[kind, default: 0] += count }
  }

  /// Takes one back.
  mutating func remove(_ kind: Kind) {
    guard let count = counts[kind] else { return }
    counts[kind] = count > 1 ? count - 1 : nil
  }

  mutating func add(_ other: Losses) {
    for (kind, count) in other.counts { add(kind, count) }
  }
}

extension Losses {
  /// What a model is not given that goes on from a session. What was put in or only noticed is no loss.
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
  public init(from decoder: any Decoder) throws {
    let names = try decoder.singleValueContainer().decode([String: Int].self)
    for (name, count) in names { if let kind = Kind(rawValue: name) { counts[kind] = count } }
  }

  /// As an object: `{"events": 2}`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(
      Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) }))
  }
}
