import Keepsake

/// A piece of an entry's content as a service's format holds it.
enum WirePart {
  case text(String)
  case attachment(OutgoingAttachment)
  /// JSON that the format's own reader kept as opaque.
  case raw(JSON)
  /// JSON that the format's own reader kept as an artifact, because it was too large for an entry.
  case rawAttachment(OutgoingAttachment)

  /// Writes a part as it was kept, or else in the way of a format.
  /// - Parameters:
  ///   - isLost: Whether a placeholder is written in place of the attachment.
  ///   - text: Writes a text.
  ///   - attachment: Writes an attachment.
  func write(
    to writer: inout RecordWriter, isLost: Bool, text: (String, inout RecordWriter) -> Void,
    attachment: (OutgoingAttachment, inout RecordWriter) -> Void
  ) {
    switch self {
    case .raw(let json): writer.json.raw(json)
    case .rawAttachment(let attachment): writer.raw(attachment)
    case .text(let content): text(content, &writer)
    case .attachment(let lost) where isLost: text(lost.placeholder, &writer)
    case .attachment(let present): attachment(present, &writer)
    }
  }
}

extension OutgoingEntry {
  /// The pieces of the entry's content, each with the index of its segment; nil for an attachment of a prompt without
  /// a segment.
  /// - Parameters:
  ///   - family: The formats whose opaque content can be written unchanged.
  ///   - losses: Counts what the format can't hold.
  func parts(of family: WireFamily, _ losses: inout Losses) -> [(segment: Int?, part: WirePart)] {
    var parts: [(segment: Int?, part: WirePart)] = []
    for (index, segment) in entry.segments.enumerated() {
      if let part = part(segment, index, family, &losses) { parts.append((index, part)) }
    }
    // A person who gives an image with a prompt means it as part of the prompt. What a tool made is no part of its
    // output.
    for attachment in loose {
      if entry.kind == .prompt, attachment.isPresent {
        parts.append((nil, .attachment(attachment)))
      } else {
        losses.add(.loose)
      }
    }
    return parts
  }

  private func part(
    _ segment: Entry.Segment, _ index: Int, _ family: WireFamily, _ losses: inout Losses
  ) -> WirePart? {
    switch segment.content {
    case .text(let text): return .text(text)
    case .structure(let json, _):
      losses.add(.structures)
      return .text(json.text)
    case .opaque(let json, let type):
      guard family.hasContent(type) else {
        losses.add(.foreign)
        return nil
      }
      return .raw(json)
    case .attachment:
      guard let attachment = attachments[index] else {
        losses.add(.attachments)
        return .text("[attachment]")
      }
      guard let type = OpaqueType.name(of: attachment.mediaType) else {
        return .attachment(attachment)
      }
      guard family.hasContent(type), attachment.isPresent else {
        losses.add(.foreign)
        return nil
      }
      return .rawAttachment(attachment)
    }
  }

  /// Counts the entry's members that no service's format can hold.
  func countUnplaced(in family: WireFamily, _ losses: inout Losses) {
    if let options = entry.options, !options.isDefault { losses.add(.details) }
    if let answer = entry.responseFormat, !answer.isDefault { losses.add(.details) }
    for (key, value) in entry.metadata?.members ?? []
    where !family.formats.contains(key) && !value.isDefault {
      losses.add(.details)
    }
  }
}

/// Formats with the same messages: a service's own format, and those of programs that keep its messages.
struct WireFamily {
  /// The names of the formats, the service's own first.
  let formats: [String]

  init(_ formats: String...) { self.formats = formats }

  /// Whether opaque content of a type was a piece of a message, so that it can be written as one.
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

extension Entry.ToolCall {
  /// The arguments as an object, for services that take only objects. Other arguments become the member `arguments`.
  func argumentsObject(_ losses: inout Losses) -> JSON {
    if let json = try? JSON(validating: arguments) {
      if json.kind == .object { return json }
      losses.add(.details)
      return ["arguments": json]
    }
    if arguments.isEmpty { return [:] }
    losses.add(.details)
    return ["arguments": .string(arguments)]
  }
}

/// Gathers images that a message can't hold, because a model or a tool made them, for a following prompt.
struct MovedAttachments {
  private var waiting: [OutgoingAttachment] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Keeps an attachment for the next prompt.
  /// - Returns: The text that stands in place of the attachment.
  mutating func add(_ attachment: OutgoingAttachment, _ losses: inout Losses) -> String {
    losses.add(.moved)
    waiting.append(attachment)
    return attachment.placeholder
  }

  /// Removes and returns the waiting attachments.
  mutating func take() -> [OutgoingAttachment] {
    defer { waiting = [] }
    return waiting
  }
}

extension OutgoingAttachment {
  /// The web address of an attachment without bytes; nil for attachments with bytes, and for other references.
  var openURL: String? {
    guard !isPresent, let reference,
      ["https://", "http://"].contains(where: reference.lowercased().hasPrefix)
    else { return nil }
    return reference
  }
}
