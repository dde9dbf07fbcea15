public import Keepsake

/// How a session becomes a page.
public struct PageOptions: Sendable, Hashable {
  /// What becomes of the bytes of attachments.
  public enum Artifacts: String, Sendable, Hashable, CaseIterable {
    /// They stand in the page, each artifact once.
    case inline
    /// They are left out: names, types, sizes and digests are all that is said of them.
    case none
  }

  public var artifacts: Artifacts
  /// The most bytes of an artifact that stand in the page; of a larger one the page says where it is. Browsers refuse
  /// `data:` URLs above some 32 MB.
  public var artifactLimit: Int64
  /// The most pixels of an image that is shown at once; a larger one can only be saved.
  public var pixelLimit: Int
  /// The program that writes the page, as its foot names it: `keepsake 0.1.0`.
  public var generator: String

  public init(
    artifacts: Artifacts = .inline, artifactLimit: Int64 = 24 << 20, pixelLimit: Int = 64_000_000,
    generator: String = "keepsake \(Store.libraryVersion)"
  ) {
    self.artifacts = artifacts
    self.artifactLimit = artifactLimit
    self.pixelLimit = pixelLimit
    self.generator = generator
  }
}
