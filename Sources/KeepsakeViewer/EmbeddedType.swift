import Keepsake

/// The media types under which a page embeds bytes, as constants, so that a declared type never becomes markup.
///
/// None of them is a document: SVG, HTML, XML and PDF can hold programs or load other files, and can only be saved.
enum EmbeddedType: Sendable, Hashable {
  case image(StaticString)
  case audio(StaticString)
  case video(StaticString)
  /// Bytes that a reader can save, and that a browser never opens in place.
  case file

  var essence: StaticString {
    switch self {
    case .image(let essence), .audio(let essence), .video(let essence): essence
    case .file: "application/octet-stream"
    }
  }

  static func == (a: EmbeddedType, b: EmbeddedType) -> Bool { "\(a.essence)" == "\(b.essence)" }
  func hash(into hasher: inout Hasher) { hasher.combine("\(essence)") }

  /// The embedded type of bytes by their sniffed type; nil for a type that no browser shows, or none should.
  init?(sniffed type: MediaType) {
    switch type.essence {
    case "image/png", "image/apng": self = .image("image/png")
    case "image/jpeg": self = .image("image/jpeg")
    case "image/gif": self = .image("image/gif")
    case "image/webp": self = .image("image/webp")
    case "image/avif": self = .image("image/avif")
    case "audio/mpeg": self = .audio("audio/mpeg")
    case "audio/wav": self = .audio("audio/wav")
    case "audio/aac": self = .audio("audio/aac")
    case "audio/mp4": self = .audio("audio/mp4")
    case "audio/flac": self = .audio("audio/flac")
    case "audio/ogg": self = .audio("audio/ogg")
    case "video/mp4", "video/x-m4v", "video/quicktime": self = .video("video/mp4")
    case "video/webm": self = .video("video/webm")
    case "video/ogg": self = .video("video/ogg")
    default: return nil
    }
  }

  private var topLevel: String {
    switch self {
    case .image: "image"
    case .audio: "audio"
    case .video: "video"
    case .file: "application"
    }
  }

  /// Returns whether the declared type fits the bytes. A file that is declared as another kind is in disguise, and is not
  /// shown.
  func agrees(with declared: MediaType?) -> Bool {
    guard let declared, declared != .octetStream, !declared.essence.isEmpty else { return true }
    if declared.topLevel == topLevel { return declared != .svg }
    // Sound without a picture is often in a container for video.
    return ["audio", "video"].contains(topLevel) && ["audio", "video"].contains(declared.topLevel)
      || declared.essence == "application/ogg"
  }
}
