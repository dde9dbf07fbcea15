import Keepsake

/// The form in which an artifact appears on a page.
enum ArtifactDisplay {
  /// The artifact is shown.
  case shown(EmbeddedType)
  /// The artifact can be saved. The text says why it is not shown.
  case saved(String?)
  /// The artifact is only named. The text says why its bytes are missing.
  case named(String)

  /// The longest side of an image, in pixels, that browsers can draw.
  private static let sideLimit = 16_384

  /// Decides by the artifact's bytes, by what they are declared to be, and by where they are to appear.
  /// - Parameter unreadable: The reason why the store can't give the bytes; nil where it can.
  init(
    of artifact: Artifact, declared: MediaType?, in place: FragmentPlace, unreadable: String? = nil
  ) {
    if let unreadable {
      self = .named(unreadable)
      return
    }
    switch place.artifacts {
    case .none: self = .named("This page was made without the bytes of artifacts.")
    case .inline where artifact.size > place.artifactLimit:
      self = .named("Too large for a page: the store has its bytes.")
    case .inline, .served:
      self.init(of: artifact, declared: declared, pixelLimit: place.pixelLimit)
    }
  }

  /// Decides for an artifact whose bytes are at hand.
  init(of artifact: Artifact, declared: MediaType?, pixelLimit: Int) {
    guard let type = EmbeddedType(sniffed: artifact.sniffedType) else {
      self = .saved(nil)
      return
    }
    guard type.agrees(with: declared) else {
      self = .saved("Not shown: it is declared to be something else than its bytes are.")
      return
    }
    guard case .image = type else {
      self = .shown(type)
      return
    }
    guard let pixels = artifact.pixelSize else {
      self = .saved("Not shown: how large the image is can't be told.")
      return
    }
    guard pixels.width <= Self.sideLimit, pixels.height <= Self.sideLimit,
      pixels.width <= pixelLimit / pixels.height
    else {
      self = .saved("Not shown: the image has too many pixels.")
      return
    }
    self = .shown(type)
  }
}
