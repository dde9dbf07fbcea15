import Keepsake

/// Formats with the same messages: a service's own format, and those of programs that keep its messages.
struct WireFamily {
  /// The names of the formats, the service's own first.
  let formats: [String]

  init(_ formats: String...) { self.formats = formats }

  /// Returns whether opaque content of a type was a piece of a message, so that it can be written as one.
  func hasContent(_ type: String) -> Bool {
    formats.contains { type.hasPrefix("\($0).") } && !Self.records.contains { type.hasSuffix($0) }
  }

  /// The endings of types of whole records, and of content that stood alone in place of a list of pieces.
  private static let records = [".entry", ".line", ".message", ".content", ".result"]

  /// The details that one of the formats kept of an entry.
  func details(of entry: Entry) -> ForeignDetails {
    let format = formats.first { entry.metadata?[$0] != nil }
    return ForeignDetails(of: entry, format: format ?? formats[0])
  }
}
