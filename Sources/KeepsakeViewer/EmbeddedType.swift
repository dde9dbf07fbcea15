import Keepsake

/// The types whose bytes a page holds, as constants: what is declared of an artifact never becomes a type here.
///
/// None of them is a document: SVG, HTML, XML and PDF can hold programs or ask for more, and are only handed over.
enum EmbeddedType: Sendable, Hashable {
  case image(StaticString)
  case audio(StaticString)
  case video(StaticString)
  /// To be saved, never to be opened in place.
  case file

  var essence: StaticString {
    switch self {
    case .image(let essence), .audio(let essence), .video(let essence): essence
    case .file: "application/octet-stream"
    }
  }

  static func == (a: EmbeddedType, b: EmbeddedType) -> Bool { "\(a.essence)" == "\(b.essence)" }
  func hash(into hasher: inout Hasher) { hasher.combine("\(essence)") }

  /// What the bytes are shown as, by what they say themselves; nil for what no browser shows or none should.
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

  /// What is declared to be something else than what the bytes say is one of them in disguise, and is not shown.
  func agrees(with declared: MediaType?) -> Bool {
    guard let declared, declared != .octetStream, !declared.essence.isEmpty else { return true }
    if declared.topLevel == topLevel { return declared != .svg }
    // Recordings without a picture come in the containers of films.
    return ["audio", "video"].contains(topLevel) && ["audio", "video"].contains(declared.topLevel)
      || declared.essence == "application/ogg"
  }
}
