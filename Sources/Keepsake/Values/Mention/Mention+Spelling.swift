extension Mention {
  /// The ways to spell references in outgoing text.
  public enum Spelling: String, Sendable, Hashable, Codable, CaseIterable {
    /// A `file:` URL that is valid on this machine now, for readers that open files.
    ///
    /// These URLs are long, and become invalid when the store moves, as an app's container does with each update. A session
    /// recognizes them later nevertheless.
    case fileURLs
    /// A label, which a model can repeat without mangling it, and which the session resolves wherever the store is.
    ///
    /// Labels are the best choice for text that goes to a model.
    case labels
    /// A `data:` URL with all bytes of the artifact.
    case dataURLs
    /// A caption such as `[image_1: a ripe banana]`, for readers that see no images; it replaces a whole Markdown or HTML
    /// image.
    case captions
  }
}

extension Entry.Attachment {
  /// A text in place of the artifact where it can't be shown, such as `[image_1: a ripe banana]`.
  public var placeholder: String {
    guard let caption else { return "[\(label)]" }
    return "[\(label): \(caption)]"
  }
}
