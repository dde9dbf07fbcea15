import Keepsake

/// Remembers the conversation in a log of requests, each of which repeats the conversation before it adds to it.
struct SaidBefore: Sendable {
  private var said: [Words] = []

  /// The content by which an entry is recognised when it is repeated, because a client may spell it differently then.
  private struct Words: Sendable, Hashable {
    let kind: Entry.Kind
    let texts: [String]
    let calls: [String]
    let answered: String?
    let attachments: Int

    init(_ item: SourceEntry) {
      let entry = item.entry
      kind = entry.kind
      texts = entry.segments.compactMap(\.text)
      calls = entry.toolCalls.map { "\($0.id) \($0.tool)" }
      answered = entry.callID
      attachments = item.attachments.count
    }
  }

  /// Notes the conversation of a request.
  /// - Returns: The entries after the beginning that the last request already had.
  mutating func new(_ entries: [SourceEntry]) -> [SourceEntry] {
    let words = entries.map(Words.init)
    let common = zip(said, words).prefix { $0 == $1 }.count
    said = words
    return Array(entries.dropFirst(common))
  }

  /// Notes the entries of an answer.
  mutating func add(_ entries: [SourceEntry]) { said += entries.map(Words.init) }
}
