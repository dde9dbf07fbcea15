/// A label or a reference in an entry, with the attachment that it means.
///
/// Mentions are derived from the entry and the names of the session's attachments, and never stored. No path is opened to find
/// a mention.
public struct Mention: Sendable, Hashable {
  /// The place of the mention in its entry.
  public let place: Place
  /// The text of the mention as it is spelled, with a scheme and a query if it has them.
  public let spelling: String
  /// The attachment that the mention means, or the reason why there is not exactly one.
  public let resolution: Resolution

  /// A place in an entry; ranges are UTF-8 offsets.
  public enum Place: Sendable, Hashable {
    /// A range in a text segment.
    case text(segment: Int, range: Range<Int>)
    /// A string in a structure, with the range in the string's value, or nil for the whole value.
    case structure(segment: Int, pointer: JSONPointer, range: Range<Int>?)
    /// A string in the arguments of a tool call; the pointer is nil if the arguments are not JSON.
    case arguments(call: Int, pointer: JSONPointer?, range: Range<Int>?)
  }

  /// The possible meanings of a mention.
  public enum Resolution: Sendable, Hashable {
    /// The mention means one attachment, for a reason.
    case attachment(Entry.Attachment, Match)
    /// Several attachments with different bytes have this name; at most sixteen are given, and none is preferred.
    case ambiguous([Entry.Attachment])
    /// The mention looks like a reference or a label of the session, and no attachment has this name.
    case unknown

    /// The attachment, if the mention means exactly one.
    public var attachment: Entry.Attachment? {
      if case .attachment(let attachment, _) = self { attachment } else { nil }
    }

    /// The reason for the meaning, which tells how sure it is; nil if the mention does not mean exactly one attachment.
    public var match: Match? {
      if case .attachment(_, let match) = self { match } else { nil }
    }
  }

  /// The reasons why a mention means an attachment, the surest last.
  public enum Match: Int, Sendable, Hashable, Codable, Comparable {
    /// The mention is the attachment's file name, or the end of its reference.
    case name
    /// The mention is the reference in another spelling, or the path of a copy in the store's cache, wherever the store was.
    case path
    /// The mention is the attachment's label, or the label that its source declared.
    case label
    /// The mention is the attachment's reference, byte for byte.
    case reference

    public static func < (a: Match, b: Match) -> Bool { a.rawValue < b.rawValue }
  }
}
