public import Keepsake

/// The options for writing a session as a page.
public struct PageOptions: Sendable, Hashable {
  /// Where the bytes of attachments go.
  public enum Artifacts: String, Sendable, Hashable, CaseIterable {
    /// The bytes stand in the page, once for each artifact.
    case inline
    /// The bytes are left out, and only names, types, sizes and digests are written.
    case none
  }

  /// Where the bytes of attachments go.
  public var artifacts: Artifacts
  /// The largest artifact that the page holds, in bytes. For a larger one, the page says that the store has it.
  ///
  /// Browsers refuse `data:` URLs above about 32 MB.
  public var artifactLimit: Int64
  /// The largest number of pixels of an image that is shown. A larger image can only be saved.
  public var pixelLimit: Int
  /// Whether the page has a script, which copies code and closes images by the keyboard.
  ///
  /// It is the only script that the page's policy lets run, and all else works without it.
  public var hasScript: Bool
  /// The program that writes the page, such as `keepsake 0.1.0`, for the page's footer.
  public var generator: String

  /// Creates options.
  /// - Parameters:
  ///   - artifacts: Where the bytes of attachments go.
  ///   - artifactLimit: The largest artifact that the page holds, in bytes.
  ///   - pixelLimit: The largest number of pixels of an image that is shown.
  ///   - hasScript: Whether the page has a script.
  ///   - generator: The program that writes the page.
  public init(
    artifacts: Artifacts = .inline, artifactLimit: Int64 = 24 << 20, pixelLimit: Int = 64_000_000,
    hasScript: Bool = true,
    generator: String = "keepsake \(Store.libraryVersion)"
  ) {
    self.artifacts = artifacts
    self.artifactLimit = artifactLimit
    self.pixelLimit = pixelLimit
    self.hasScript = hasScript
    self.generator = generator
  }
}
