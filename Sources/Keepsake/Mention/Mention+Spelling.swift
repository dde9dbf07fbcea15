extension Mention {
  /// How references are spelled in what goes out.
  public enum Spelling: String, Sendable, Hashable, Codable, CaseIterable {
    /// `file:` URLs that are valid here and now.
    case fileURLs
    /// Labels, which a model can repeat and the session resolves.
    case labels
    /// `data:` URLs with all of the bytes.
    case dataURLs
    /// `[image_1: a ripe banana]` for a reader that sees no images; an image of Markdown or HTML is replaced whole.
    case captions
  }
}

extension Entry.Attachment {
  /// What stands for it where it cannot be seen: `[image_1: a ripe banana]`.
  public var placeholder: String {
    guard let caption else { return "[\(label)]" }
    return "[\(label): \(caption)]"
  }
}
