extension Entry {
  /// A piece of an entry's content.
  public struct Segment: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
      case text(String)
      /// JSON, with the name of its schema where that is known.
      case structure(JSON, schema: String?)
      /// Stands where an attachment is: the n-th, from 0, of those that the entry was appended with.
      case attachment(Int)
      /// Foreign content that nobody here understands, kept as it came.
      case opaque(JSON, type: String)
    }

    public var content: Content
    /// The id that a foreign format gave it.
    public var id: String?

    public init(_ content: Content, id: String? = nil) {
      self.content = content
      self.id = id
    }

    public static func text(_ text: String) -> Segment { Segment(.text(text)) }

    public static func structure(_ json: JSON, schema: String? = nil) -> Segment {
      Segment(.structure(json, schema: schema))
    }

    public static func attachment(_ index: Int) -> Segment { Segment(.attachment(index)) }

    public static func opaque(_ json: JSON, type: String) -> Segment {
      Segment(.opaque(json, type: type))
    }

    /// Its text, where it is text.
    public var text: String? {
      if case .text(let text) = content { text } else { nil }
    }
  }
}
