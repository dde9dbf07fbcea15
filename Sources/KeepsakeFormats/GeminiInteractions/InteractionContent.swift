import Keepsake

/// Reads the pieces of content in steps: texts, images, sounds, videos and documents.
enum InteractionContent {
  private static let media: Set<String> = ["image", "audio", "video", "document"]

  /// Returns whether an object is a piece of content, and not a step.
  static func isContent(_ object: JSONObject) -> Bool {
    object.string("type").map { $0 == "text" || media.contains($0) } ?? false
  }

  static func content(
    _ piece: JSONObject, _ range: Range<Int>, madeBy maker: Entry.MadeBy,
    in record: inout RecordReader
  ) -> Entry.Segment.Content {
    let type = piece.string("type") ?? "content"
    if type == "text", let text = piece["text"].flatMap({ record.text($0) }) { return .text(text) }
    guard media.contains(type) else {
      EmbeddedBase64.cut(range, from: &record)
      return record.opaque(range, type: type)
    }
    let mediaType = piece.name("mime_type").map { MediaType($0) }
    if let data = piece["data"], piece.kind("data") == .string, data.count > 2 {
      let content = record.attach(
        base64: (data.lowerBound + 1)..<(data.upperBound - 1), mediaType: mediaType, label: nil,
        fileName: piece.name("name"), madeBy: maker)
      if let content { return content }
      record.remark("The base64 of a piece is damaged; it is kept as it is.")
    } else if let uri = piece.name("uri") {
      return record.attach(remote: uri, mediaType: mediaType, madeBy: maker)
    }
    EmbeddedBase64.cut(range, from: &record)
    return record.opaque(range, type: type)
  }

  /// The segments of a tool's result, which may be a text, pieces of content, or any JSON.
  static func returned(
    _ result: Range<Int>, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> [Entry.Segment] {
    let pieces = JSONText.elements(result, in: record.bytes)?.map { range in
      (range: range, object: JSONObject(range, in: record.bytes))
    }
    guard let pieces, !pieces.isEmpty, pieces.allSatisfy({ $0.object.map(isContent) ?? false })
    else { return ReturnedJSON.segments(result, madeBy: maker, in: &record) }
    return pieces.compactMap { piece in
      piece.object.map { .init(content($0, piece.range, madeBy: maker, in: &record)) }
    }
  }
}
