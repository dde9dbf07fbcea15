import KeepsakeFiles

/// A media type such as `image/png`, kept exactly as it was declared.
///
/// Two media types are equal if their essences are: `IMAGE/PNG` equals `image/png`, and `text/plain; charset=utf-8` equals
/// `text/plain`. Compare `description` where parameters matter. Any text is accepted, because a declared type is evidence, and
/// is not checked here.
public struct MediaType: Sendable {
  /// The type as it was declared, with its parameters and upper-case letters.
  public let description: String

  /// The type and subtype in lower case, without parameters, such as `image/png`.
  public let essence: String

  /// Keeps a declared type, even an empty or malformed one.
  public init(_ text: String) {
    description = text
    if Self.isEssence(text) {
      essence = text
      return
    }
    let bytes = Self.essence(of: text.utf8)
    essence = text.utf8.elementsEqual(bytes) ? text : String(decoding: bytes, as: UTF8.self)
  }

  /// Returns whether a text is an essence as it is, like nearly all declared types.
  ///
  /// A media type is made for each artifact that is shown, and reading the UTF-8 of a short text as a collection would take two
  /// and a half times as long.
  private static func isEssence(_ text: String) -> Bool {
    text.withUTF8Bytes { bytes in
      for index in bytes.byteOffsets {
        let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        if byte == UInt8(ascii: ";") || byte.isBlank || byte != byte.asciiLowercased {
          return false
        }
      }
      return true
    }
  }

  private static func essence(of text: String.UTF8View) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in text {
      if byte == UInt8(ascii: ";") { break }
      if bytes.isEmpty && byte.isBlank { continue }
      bytes.append(byte.asciiLowercased)
    }
    while let last = bytes.last, last.isBlank { bytes.removeLast() }
    return bytes
  }

  /// The part before the slash, such as `image`; empty if there is no slash.
  public var topLevel: String {
    guard let slash = essence.utf8.firstIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(essence[..<slash])
  }

  /// Whether the type is an image.
  public var isImage: Bool { essence.hasPrefix("image/") }
  /// Whether the type is sound.
  public var isAudio: Bool { essence.hasPrefix("audio/") }
  /// Whether the type is video.
  public var isVideo: Bool { essence.hasPrefix("video/") }

  /// Whether the bytes are meant to be read as text: `text/*`, and textual `application/*` such as JSON and XML.
  ///
  /// SVG counts as an image, and not as text.
  public var isText: Bool {
    switch topLevel {
    case "text": true
    case "application":
      essence.hasSuffix("+json") || essence.hasSuffix("+xml")
        || Self.textualApplications.contains(essence)
    default: false
    }
  }

  private static let textualApplications: Set<String> = [
    "application/json", "application/jsonl", "application/x-ndjson", "application/json-seq",
    "application/xml", "application/javascript", "application/x-javascript",
    "application/typescript", "application/yaml", "application/x-yaml", "application/toml",
    "application/sql", "application/graphql", "application/x-sh",
  ]
}

extension MediaType: Hashable {
  /// Returns whether two types have the same essence.
  public static func == (first: MediaType, second: MediaType) -> Bool {
    first.essence.utf8.elementsEqual(second.essence.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(essence)
  }
}

extension MediaType: CustomStringConvertible, ExpressibleByStringLiteral {
  /// Keeps a type that is written as a string in the program.
  public init(stringLiteral text: String) {
    self.init(text)
  }
}

extension MediaType: Codable {
  /// Reads the declared text from a single value.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the declared text as a single value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
