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

extension OutgoingAttachment {
  /// The web address of an attachment without bytes; nil for attachments with bytes, and for other references.
  var openURL: String? {
    guard !isPresent, let reference,
      ["https://", "http://"].contains(where: reference.lowercased().hasPrefix)
    else { return nil }
    return reference
  }
}
