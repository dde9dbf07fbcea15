/// A label or a reference that stands in an entry, and the attachment that it means.
///
/// It is derived from the entry and from what the session's attachments are called, and never stored. No path is ever
/// opened to find one.
public struct Mention: Sendable, Hashable {
  public let place: Place
  /// As it is spelled there, with a scheme before it and a query behind it.
  public let spelling: String
  public let resolution: Resolution

  /// Where in an entry it stands; ranges are offsets of UTF-8.
  public enum Place: Sendable, Hashable {
    case text(segment: Int, range: Range<Int>)
    /// In a string of a structure; the range inside of the string's value, where it is not all of it.
    case structure(segment: Int, pointer: JSONPointer, range: Range<Int>?)
    /// In a string of a tool call's arguments; without a pointer where they are not JSON.
    case arguments(call: Int, pointer: JSONPointer?, range: Range<Int>?)
  }

  /// What it means.
  public enum Resolution: Sendable, Hashable {
    case attachment(Entry.Attachment, Match)
    /// Several attachments of different bytes are called so, of which up to sixteen are given; none is preferred.
    case ambiguous([Entry.Attachment])
    /// It looks like one of the session's references or labels, and none is called so.
    case unknown

    /// The attachment, where it is exactly one.
    public var attachment: Entry.Attachment? {
      if case .attachment(let attachment, _) = self { attachment } else { nil }
    }

    /// Why it is this attachment, and with that how sure it is; nil where it is not exactly one.
    public var match: Match? {
      if case .attachment(_, let match) = self { match } else { nil }
    }
  }

  /// Why a mention means an attachment, the surest last.
  public enum Match: Int, Sendable, Hashable, Codable, Comparable {
    /// The attachment's file name, or the end of its reference, without all of the path before it.
    case name
    /// The attachment's reference in another spelling, or a file that Keepsake made of it, wherever the store stood then.
    case path
    /// The attachment's label, or the one that its source declared.
    case label
    /// The attachment's reference, byte for byte.
    case reference

    public static func < (a: Match, b: Match) -> Bool { a.rawValue < b.rawValue }
  }
}
