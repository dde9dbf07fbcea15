import Keepsake

/// Reads the texts, images and files in a list of Gemini's parts, in both spellings of Google's libraries.
enum GeminiParts {
  /// The segments of a text, of a part, or of a list of parts. Calls and outputs in the list are skipped.
  static func segments(
    _ range: Range<Int>, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    if let text = record.text(range) { return text.isEmpty ? [] : [.text(text)] }
    let parts = JSONText.elements(range, in: record.bytes) ?? [range]
    return parts.flatMap { part -> [Entry.Segment] in
      if let text = record.text(part) { return [.text(text)] }
      guard let object = JSONObject(part, in: record.bytes) else {
        return [.init(record.opaque(part, type: "part"))]
      }
      if member(object, "functionCall") != nil || member(object, "functionResponse") != nil {
        return []
      }
      return [.init(content(object, part, madeBy: maker, in: &record))]
    }
  }

  /// The range of a member in either spelling, `inlineData` or `inline_data`.
  static func member(_ object: JSONObject, _ name: String) -> Range<Int>? {
    object[name] ?? object[snakeCase(name)]
  }

  /// The string of a member in either spelling, `fileUri` or `file_uri`.
  static func string(_ object: JSONObject, _ name: String) -> String? {
    member(object, name).flatMap { JSONText.string($0, in: object.bytes) }
  }

  /// The tool's name in calls of the service's own code interpreter.
  static let codeTool = "code_execution"

  /// The segments of a function's output, and of the images beside it.
  ///
  /// A text stands in an object under `output`, and several texts stand there as a list.
  static func returned(
    _ answer: JSONObject, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    var segments: [Entry.Segment] = []
    let output = answer.object("response").flatMap { $0.members.count == 1 ? $0["output"] : nil }
    if let text = output.flatMap({ record.text($0) }) {
      segments = [.text(text)]
    } else if let texts = output.flatMap({ self.texts($0, in: &record) }) {
      segments = texts.map { .text($0) }
    } else if let response = answer.json("response"), !response.isDefault {
      segments = [.init(.structure(response, schema: nil))]
    }
    if let parts = answer["parts"] {
      segments += self.segments(parts, madeBy: maker, in: &record)
    }
    return segments
  }

  /// The strings of a list; nil where the value is no list, or holds anything but strings.
  private static func texts(_ range: Range<Int>, in record: inout RecordReader) -> [String]? {
    guard let elements = JSONText.elements(range, in: record.bytes),
      elements.allSatisfy({ JSONText.kind($0, in: record.bytes) == .string })
    else { return nil }
    return elements.compactMap { record.text($0) }
  }

  /// The spelling of Google's library for Python, such as `inline_data` for `inlineData`.
  static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { snake, letter in
      snake += letter.isUppercase ? "_\(letter.lowercased())" : String(letter)
    }
  }

  static func content(
    _ part: JSONObject, _ range: Range<Int>, madeBy maker: Entry.MadeBy,
    in record: inout RecordReader
  ) -> Entry.Segment.Content {
    if let text = part["text"].flatMap({ record.text($0) }) { return .text(text) }
    if let inline = member(part, "inlineData").flatMap({ JSONObject($0, in: record.bytes) }) {
      let type = member(inline, "mimeType").flatMap { JSONText.string($0, in: record.bytes) }
      if let data = inline["data"], inline.kind("data") == .string,
        let content = record.attach(
          base64: (data.lowerBound + 1)..<(data.upperBound - 1),
          mediaType: type.map { MediaType($0) }, label: nil,
          fileName: member(inline, "displayName").flatMap { JSONText.string($0, in: record.bytes) },
          madeBy: maker)
      {
        return content
      }
      record.remark("The base64 of a part is damaged; it is kept as it is.")
    } else if let file = member(part, "fileData").flatMap({ JSONObject($0, in: record.bytes) }),
      let uri = member(file, "fileUri").flatMap({ JSONText.string($0, in: record.bytes) })
    {
      return record.attach(remote: uri, madeBy: maker)
    }
    EmbeddedBase64.cut(range, from: &record)
    return record.opaque(range, type: part.members.first?.key ?? "part")
  }
}
