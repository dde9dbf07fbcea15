import KeepsakeFiles
package import Keepsake

/// Where fragments are shown: where the bytes of artifacts come from, where links to entries lead, and whether a script
/// runs.
///
/// The page of a session and an answer of a server draw the same entries; they differ in nothing but this.
package struct FragmentPlace: Sendable {
  /// Where the bytes of artifacts come from.
  package enum Artifacts: Sendable {
    /// The bytes stand in the page, once for each artifact.
    case inline
    /// The bytes are left out, and only names, types, sizes and digests are written.
    case none
    /// The bytes come from a URL, such as `/artifacts/<hex>`, which the closure gives.
    ///
    /// The server says what type the bytes have, and has a file saved that no page shows.
    case served(@Sendable (Artifact.ID) -> String)
  }

  /// Where the bytes of artifacts come from.
  package var artifacts: Artifacts
  /// The largest artifact that a page holds, in bytes. It does not count where artifacts are served.
  package var artifactLimit: Int64
  /// The largest number of pixels of an image that is shown. A larger image can only be saved.
  package var pixelLimit: Int
  /// Gives the URL of an entry by its position.
  package var entryURL: @Sendable (Int) -> String
  /// Gives the URL of what an entry said before; nil where that is not shown.
  package var revisionsURL: (@Sendable (Int) -> String)?
  /// Whether ``PageAssets/script`` runs there. Without it, nothing is drawn that only a script brings to life.
  package var runsScript: Bool

  /// Whether prompts say the number of the turn that they begin.
  package var showsTurns = false

  /// Creates a place.
  /// - Parameters:
  ///   - artifacts: Where the bytes of artifacts come from.
  ///   - artifactLimit: The largest artifact that a page holds, in bytes.
  ///   - pixelLimit: The largest number of pixels of an image that is shown.
  ///   - runsScript: Whether the script runs there.
  ///   - revisionsURL: Gives the URL of what an entry said before; nil where that is not shown.
  ///   - entryURL: Gives the URL of an entry by its position; by default a link within the page.
  package init(
    artifacts: Artifacts, artifactLimit: Int64 = 24 << 20, pixelLimit: Int = 64_000_000,
    runsScript: Bool = true, revisionsURL: (@Sendable (Int) -> String)? = nil,
    entryURL: @escaping @Sendable (Int) -> String = { "#entry-\($0)" }
  ) {
    self.artifacts = artifacts
    self.artifactLimit = artifactLimit
    self.pixelLimit = pixelLimit
    self.runsScript = runsScript
    self.revisionsURL = revisionsURL
    self.entryURL = entryURL
  }

  /// The URL from which an artifact is served; nil where it is not served.
  func url(of artifact: Artifact.ID) -> String? {
    if case .served(let url) = artifacts { url(artifact) } else { nil }
  }

  /// The id of the element that shows an artifact.
  ///
  /// A page shows each artifact once. Fragments that are served know nothing of each other, so the id names the entry
  /// as well.
  func anchor(of artifact: Artifact.ID, at position: Int?) -> String {
    guard case .served = artifacts else { return "artifact-\(artifact.digest.hex)" }
    return "artifact-\(artifact.digest.hex)-\(position.map(String.init) ?? "none")"
  }
}

extension FragmentPlace {
  /// The page of a session that is written with options.
  init(_ options: PageOptions) {
    let artifacts: Artifacts =
      switch options.artifacts {
      case .inline: .inline
      case .none: .none
      }
    self.init(
      artifacts: artifacts, artifactLimit: options.artifactLimit, pixelLimit: options.pixelLimit,
      runsScript: options.hasScript)
  }
}
