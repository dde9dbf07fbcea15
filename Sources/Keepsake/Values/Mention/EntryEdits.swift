/// Replaces references in the text, the structures and the tool calls of an entry.
struct EntryEdits {
  /// Tells whether the whole image, link or tag is replaced, and not only its destination.
  let replacesImages: Bool

  /// A part of an entry that is edited as one text.
  enum Part: Hashable {
    case segment(Int)
    case arguments(Int)

    init(_ place: Mention.Place) {
      switch place {
      case .text(let segment, _), .structure(let segment, _, _): self = .segment(segment)
      case .arguments(let call, _, _): self = .arguments(call)
      }
    }
  }

  /// A mention, and the reference that replaces it.
  struct Edit {
    let mention: EntryMentions.Found
    let reference: String
  }

  func apply(_ edits: [Part: [Edit]], to entry: Entry) -> Entry {
    var entry = entry
    for (part, edits) in edits {
      switch part {
      case .segment(let index):
        switch entry.segments[index].content {
        case .text(let text):
          entry.segments[index].content = .text(
            String(decoding: apply(edits, to: Array(text.utf8)), as: UTF8.self))
        case .structure(let json, let schema):
          entry.segments[index].content = .structure(
            JSON(unchecked: apply(edits, to: json.bytes)), schema: schema)
        case .attachment, .opaque: break
        }
      case .arguments(let index):
        entry.toolCalls[index].arguments = String(
          decoding: apply(edits, to: Array(entry.toolCalls[index].arguments.utf8)), as: UTF8.self)
      }
    }
    return entry
  }

  /// Applies edits to the bytes of one part.
  ///
  /// - Parameters:
  ///   - edits: The edits, in the order of the text.
  ///   - bytes: The bytes of the part.
  private func apply(_ edits: [Edit], to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var copied = 0
    for edit in edits {
      guard let (range, text) = replacement(edit, in: bytes), range.lowerBound >= copied else {
        continue
      }
      result += bytes[copied..<range.lowerBound]
      result += text
      copied = range.upperBound
    }
    return result + bytes[copied...]
  }

  /// Returns the range to replace and the new text; nil if the mention must stay.
  private func replacement(_ edit: Edit, in bytes: [UInt8]) -> (Range<Int>, ArraySlice<UInt8>)? {
    let mention = edit.mention
    let context = ReferenceContext(bytes, mention.range, in: mention.string)
    guard mention.found.isPath || context.isSetApart else { return nil }
    var range = mention.range
    var text = edit.reference
    switch (replacesImages, context.kind) {
    case (true, .destination), (true, .bracketed), (true, .attribute): range = context.whole
    case (_, .destination): text = Self.destination(text)
    case (_, .attribute):
      text = text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
    default: break
    }
    return (range, mention.isInJSON ? JSONStrings.escaped(text) : Array(text.utf8)[...])
  }

  /// Returns a reference that is valid as the destination of a Markdown link.
  ///
  /// A destination with a space is put in angle brackets, and parentheses are percent-encoded.
  private static func destination(_ text: String) -> String {
    if text.utf8.contains(where: { $0 <= 0x20 }) {
      return "<" + text.replacing("<", with: "%3C").replacing(">", with: "%3E") + ">"
    }
    return text.replacing("(", with: "%28").replacing(")", with: "%29")
  }
}
