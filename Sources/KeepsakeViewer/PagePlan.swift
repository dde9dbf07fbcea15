import Keepsake
import KeepsakeMarkdown

/// The plan of a page, made before the page is written.
///
/// Outputs are placed with their calls, and artifacts where readers read about them.
struct PagePlan: Sendable {
  /// The outputs of the calls of an entry, by the entry's position.
  private(set) var outputs: [Int: [(ordinal: Int, position: Int)]] = [:]
  /// The positions of outputs that are shown with their calls.
  private(set) var folded: Set<Int> = []
  /// The position at which each artifact is shown.
  private(set) var homes: [Artifact.ID: Int] = [:]
  /// The prompts, for readers to find their way.
  private(set) var outline = Outline()
  /// The number of entries when the plan was made.
  private(set) var entries = 0

  /// The turns of the calls so far, by their entries' positions.
  private var turns: [Int: Int?] = [:]
  /// The artifacts whose place follows from a prompt or a response.
  private var settled: Set<Artifact.ID> = []

  init() {}

  /// Reads the whole session once, one entry at a time.
  init(of session: Session, mentions: MentionIndex) async throws {
    let answers = try await session.answers()
    for try await entry in session.entries {
      add(entry, answering: entry.position.flatMap { answers[$0] }, mentions)
    }
  }

  /// Adds the next entry, with the call that it answers.
  mutating func add(
    _ entry: Entry, answering call: Entry.Attachment.CallReference?, _ mentions: MentionIndex
  ) {
    guard let position = entry.position else { return }
    entries = position + 1
    outline.add(entry)
    if entry.kind == .toolCalls { turns[position] = entry.turn }
    var shown = position
    // An output that came in a later turn is shown where it came.
    if let call, let turn = turns[call.position], turn == entry.turn {
      outputs[call.position, default: []].append((call.ordinal, position))
      folded.insert(position)
      shown = call.position
    }
    for artifact in Self.images(in: entry, mentions) where settled.insert(artifact).inserted {
      homes[artifact] = shown
    }
    let isSaid = entry.kind == .prompt || entry.kind == .response
    for artifact in entry.attachments.compactMap(\.artifact?.id) {
      if isSaid {
        if settled.insert(artifact).inserted { homes[artifact] = shown }
      } else if homes[artifact] == nil {
        homes[artifact] = shown
      }
    }
  }

  /// The artifacts that the text of a prompt or a response shows as images.
  private static func images(in entry: Entry, _ mentions: MentionIndex) -> [Artifact.ID] {
    guard !entry.isErased, entry.kind == .prompt || entry.kind == .response,
      !mentions.attachments.isEmpty
    else { return [] }
    var found: [Artifact.ID] = []
    for text in entry.segments.compactMap(\.text) where text.utf8.contains(UInt8(ascii: "!")) {
      guard let markdown = Markdown(String(EntryFragment.prosePart(of: text))) else { continue }
      markdown.forEach { event in
        guard case .begin(.image(let destination, _)) = event, destination.utf8.count <= 4096,
          let artifact = mentions.resolve(destination).attachment?.artifact
        else { return }
        found.append(artifact.id)
      }
    }
    return found
  }
}
