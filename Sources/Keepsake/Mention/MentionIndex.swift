/// What the attachments of a session are called, made once to find the mentions of them in any number of texts.
///
/// A mention is found by what the session's tools returned and what its attachments are called: references, labels,
/// file names, and the names that references end in. Markdown, quotes, percent-encoding, escapes of JSON and HTML,
/// `file:` and `/private`, slashes of Windows, composed and decomposed characters make no difference; a name counts
/// only as a whole word. Of what begins together the longest counts. Two attachments of different bytes that are
/// called the same make a mention ambiguous, unless one of them is attached to the entry where it stands.
///
/// A word without digit or punctuation (`photo`) is found only where it is set apart: as a whole string, in quotes,
/// or as the destination of a link. The keys of JSON are not looked at, and no file system either.
///
/// Made in O(n log n) for n attachments; a text costs time linear to its length.
public struct MentionIndex: Sendable {
  /// What it was made from, in this order.
  public let attachments: [Entry.Attachment]
  let table: ReferenceTable

  /// Makes an index of a session's attachments, whatever entry they belong to.
  public init(_ attachments: [Entry.Attachment]) {
    self.attachments = attachments
    table = ReferenceTable(attachments)
  }

  init(_ attachments: [Entry.Attachment], table: ReferenceTable) {
    self.attachments = attachments
    self.table = table
  }

  /// What one string means that is a reference in any spelling, or holds one: a URL, a path, a label, a Markdown image.
  public func resolve(_ string: String) -> Mention.Resolution {
    resolution(table.resolve(string))
  }

  /// The mentions in an entry: in its texts, its structures and the arguments of its tool calls, in this order.
  ///
  /// - Parameters:
  ///   - entry: An entry of the session that the index is of.
  ///   - unknown: Whether what looks like a path, or like one of the session's labels, and is none is given too.
  public func mentions(in entry: Entry, unknown: Bool = false) -> [Mention] {
    var found: [Mention] = []
    EntryMentions(table, unknown: unknown).forEach(in: entry) { mention in
      found.append(
        Mention(
          place: mention.place, spelling: mention.spelling,
          resolution: resolution(mention.found.meaning)))
    }
    return found
  }

  func resolution(_ meaning: MentionScan.Meaning) -> Mention.Resolution {
    switch meaning {
    case .one(let subject, let match): .attachment(attachments[subject], match)
    case .several(let subjects): .ambiguous(subjects.map { attachments[$0] })
    case .unknown: .unknown
    }
  }
}

extension ReferenceTable {
  /// What a string means that is one reference, or holds one.
  func resolve(_ string: String) -> MentionScan.Meaning {
    var scan = MentionScan(self)
    let bytes = Array(string.utf8)
    let found = scan.scan(bytes)
    guard let first = found.first else {
      guard let exact = exact[string] else { return .unknown }
      return scan.choose(exact, .reference)
    }
    // What stands around it may be syntax, and no other word.
    let around =
      bytes[..<first.range.lowerBound] + bytes[found[found.count - 1].range.upperBound...]
    guard
      found.count == 1,
      ReferenceContext(bytes, first.range).isSetApart
        || !around.contains(where: { $0 >= 0x80 || SpelledText.isWordByte($0) })
    else { return found.count == 1 ? .unknown : scan.choose(found.flatMap(\.subjects), .name) }
    return first.meaning
  }
}

extension MentionScan.Found {
  fileprivate var subjects: [Int] {
    switch meaning {
    case .one(let subject, _): [subject]
    case .several(let subjects): subjects
    case .unknown: []
    }
  }
}
