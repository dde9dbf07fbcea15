extension Mention {
  /// How references are spelled in what goes out.
  public enum Spelling: String, Sendable, Hashable, Codable, CaseIterable {
    /// `file:` URLs that are valid here and now.
    ///
    /// For readers that open files. They are long, and dead once the store has moved, which an app's container does with
    /// each update; a session knows them again wherever it stands then.
    case fileURLs
    /// Labels, which a model can repeat without mangling them, and which the session resolves wherever it stands.
    ///
    /// The best choice for what goes to a model.
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
