extension Entry {
  /// A piece of an entry's content.
  public struct Segment: Sendable, Hashable {
    /// The kinds of content.
    public enum Content: Sendable, Hashable {
      /// Plain text.
      case text(String)
      /// JSON, with the name of its schema if that is known.
      case structure(JSON, schema: String?)
      /// The place of an attachment, by the index in the attachments with which the entry was appended, counted from 0.
      case attachment(Int)
      /// Foreign content that the codec does not understand, kept as it came.
      case opaque(JSON, type: String)
    }

    /// The content of the segment.
    public var content: Content
    /// The id that a foreign format gave the segment.
    public var id: String?

    /// Creates a segment.
    public init(_ content: Content, id: String? = nil) {
      self.content = content
      self.id = id
    }

    /// Creates a segment of plain text.
    public static func text(_ text: String) -> Segment { Segment(.text(text)) }

    /// Creates a segment of JSON, with the name of its schema if that is known.
    public static func structure(_ json: JSON, schema: String? = nil) -> Segment {
      Segment(.structure(json, schema: schema))
    }

    /// Creates a segment that stands for an attachment, by its index in the attachments of the entry.
    public static func attachment(_ index: Int) -> Segment { Segment(.attachment(index)) }

    /// Creates a segment of foreign content that is kept as it came.
    public static func opaque(_ json: JSON, type: String) -> Segment {
      Segment(.opaque(json, type: type))
    }

    /// The text of a text segment; nil for other kinds.
    public var text: String? {
      if case .text(let text) = content { text } else { nil }
    }
  }
}
