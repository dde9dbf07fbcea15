import Keepsake

/// A piece of an entry's content, as wire formats know it.
enum WirePart {
  case text(String)
  case attachment(OutgoingAttachment)
  /// What the format's own reader kept as it was.
  case raw(JSON)
  /// JSON that the format's own reader kept as it was, and that was too large for an entry.
  case rawAttachment(OutgoingAttachment)
}

extension OutgoingEntry {
  /// What a wire format says of the content, with the index of the segment that it comes from; nil for what hangs on a
  /// prompt and stands in none.
  /// - Parameters:
  ///   - family: The formats whose readers keep content in this one's shape.
  ///   - losses: Is told what it has no place for.
  func parts(of family: WireFamily, _ losses: inout Losses) -> [(segment: Int?, part: WirePart)] {
    var parts: [(segment: Int?, part: WirePart)] = []
    for (index, segment) in entry.segments.enumerated() {
      if let part = part(segment, index, family, &losses) { parts.append((index, part)) }
    }
    // Who gives an image with a prompt means the same by it as who puts it there. What a tool made is no part of what it
    // said.
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

  /// Counts what the entry has and no wire format has a place for.
  func countUnplaced(in family: WireFamily, _ losses: inout Losses) {
    if let options = entry.options, !options.isDefault { losses.add(.details) }
    if let answer = entry.responseFormat, !answer.isDefault { losses.add(.details) }
    for (key, value) in entry.metadata?.members ?? []
    where !family.formats.contains(key) && !value.isDefault {
      losses.add(.details)
    }
  }
}

/// Formats that have the same messages in them: a service's own, and those of programs that keep its messages.
struct WireFamily {
  /// The service's own first.
  let formats: [String]

  init(_ formats: String...) { self.formats = formats }

  /// Whether content of a type was kept as a piece of a message, so that it can be one again.
  func hasContent(_ type: String) -> Bool {
    formats.contains { type.hasPrefix("\($0).") } && !Self.records.contains { type.hasSuffix($0) }
  }

  /// What a whole record is called, and what stands alone where a list of pieces should.
  private static let records = [".entry", ".line", ".message", ".content", ".result"]

  /// What one of the formats keeps of an entry.
  func details(of entry: Entry) -> ForeignDetails {
    let format = formats.first { entry.metadata?[$0] != nil }
    return ForeignDetails(of: entry, format: format ?? formats[0])
  }
}

extension Entry.ToolCall {
  /// The arguments as an object, for services that take nothing else; what is none stands in one, under `arguments`.
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

/// What a message can't hold, and a prompt behind it can: images that a model or a tool made.
struct MovedAttachments {
  private var waiting: [OutgoingAttachment] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Keeps an attachment for the next prompt.
  /// - Returns: The words that stand in its place.
  mutating func add(_ attachment: OutgoingAttachment, _ losses: inout Losses) -> String {
    losses.add(.moved)
    waiting.append(attachment)
    return attachment.placeholder
  }

  /// What waits, and waits no more.
  mutating func take() -> [OutgoingAttachment] {
    defer { waiting = [] }
    return waiting
  }
}

extension OutgoingAttachment {
  /// A URL that others can open, of what the store does not have.
  var openURL: String? {
    guard !isPresent, let reference,
      ["https://", "http://"].contains(where: reference.lowercased().hasPrefix)
    else { return nil }
    return reference
  }
}
