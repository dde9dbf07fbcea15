import Keepsake

/// What a log of requests has said so far: each request says the whole conversation again before it adds to it.
struct SaidBefore: Sendable {
  private var said: [Words] = []

  /// What two entries have in common that say the same: a client may spell a message in another way when it sends it again.
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

  /// Notes what a request says.
  /// - Returns: What it says behind that with which the conversation began before.
  mutating func new(_ entries: [SourceEntry]) -> [SourceEntry] {
    let words = entries.map(Words.init)
    let common = zip(said, words).prefix { $0 == $1 }.count
    said = words
    return Array(entries.dropFirst(common))
  }

  /// Notes what was answered.
  mutating func add(_ entries: [SourceEntry]) { said += entries.map(Words.init) }
}
