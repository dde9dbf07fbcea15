/// Finds the mentions of a session's attachments in any number of texts.
///
/// An attachment can be mentioned by its reference, its label, its file name, and the end of its reference. The spelling makes
/// no difference: Markdown, quotes, percent-encoding, escapes of JSON and HTML, `file:` and `/private`, Windows separators,
/// composed and decomposed characters. A name counts only as a whole word, and of names with a common beginning the longest
/// counts. If two attachments with different bytes have the same name, a mention is ambiguous, unless one of them is attached
/// to the entry with the mention.
///
/// A word without digit or punctuation, such as `photo`, counts only when it is set apart: as a whole string, in quotes, or as
/// the destination of a link. JSON keys and the file system are not searched.
///
/// Making an index takes O(n log n) for n attachments, and searching a text takes time linear to its length.
public struct MentionIndex: Sendable {
  /// The attachments from which the index was made, in the given order.
  public let attachments: [Entry.Attachment]
  let table: ReferenceTable

  /// Makes an index of a session's attachments.
  ///
  /// - Parameter attachments: The attachments, of any entries of the session.
  public init(_ attachments: [Entry.Attachment]) {
    self.attachments = attachments
    table = ReferenceTable(attachments)
  }

  init(_ attachments: [Entry.Attachment], table: ReferenceTable) {
    self.attachments = attachments
    self.table = table
  }

  /// Resolves a string that is, or contains, a single reference: a URL, a path, a label, or a Markdown image.
  ///
  /// - Parameter string: The reference in any spelling.
  /// - Returns: The attachment that the string means, or the reason why there is not exactly one.
  public func resolve(_ string: String) -> Mention.Resolution {
    resolution(table.resolve(string))
  }

  /// Finds the mentions in an entry: in its texts and structures, and in the arguments of its tool calls, in this order.
  ///
  /// - Parameters:
  ///   - entry: An entry of the session that the index was made from.
  ///   - unknown: Whether to include text that looks like a path or a label of the session and means no attachment.
  /// - Returns: The mentions, in order.
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
  /// Resolves a string that is, or contains, a single reference.
  func resolve(_ string: String) -> MentionScan.Meaning {
    var scan = MentionScan(self)
    let bytes = Array(string.utf8)
    let found = scan.scan(bytes)
    guard let first = found.first else {
      guard let exact = exact[string] else { return .unknown }
      return scan.choose(exact, .reference)
    }
    // The text around the reference may be syntax, but no other word.
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
