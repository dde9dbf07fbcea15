import Keepsake

/// Reads one block of the content of a tool's result.
enum MCPBlock {
  /// - Parameters:
  ///   - range: The range of the block in the record.
  ///   - maker: The maker of the block's attachments.
  ///   - rest: Takes the members that Keepsake has no field for.
  ///   - record: Gathers the attachments.
  static func segment(
    _ range: Range<Int>, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)],
    in record: inout RecordReader
  ) -> Entry.Segment {
    let block = JSONObject(range, in: record.bytes)
    let type = block?.string("type") ?? ""
    if let block, let (content, known) = content(block, type, madeBy: maker, in: &record) {
      rest = block.others(than: known).filter { !$0.1.isDefault }
      if let resource = block.object("resource") {
        // An export writes the resource's other members again, such as its URI.
        rest.append(("resource", .object(resource.others(than: ["text", "blob"]))))
      }
      return .init(content)
    }
    record.remark("A block of a result is kept as it is: '\(type)' is not understood.")
    EmbeddedBase64.cut(range, from: &record)
    return .init(record.opaque(range, type: type.isEmpty ? "block" : type))
  }

  private static func content(
    _ block: JSONObject, _ type: String, madeBy maker: Entry.MadeBy, in record: inout RecordReader
  ) -> (Entry.Segment.Content, known: [String])? {
    switch type {
    case "text":
      return block["text"].flatMap { record.text($0) }.map { (.text($0), ["type", "text"]) }
    case "image", "audio":
      let content = bytes(block, "data", named: nil, madeBy: maker, in: &record)
      return content.map { ($0, ["type", "data", "mimeType"]) }
    case "resource_link":
      return block.string("uri").map {
        (record.attach(remote: $0, madeBy: maker), ["type", "uri"])
      }
    case "resource":
      guard let resource = block.object("resource") else { return nil }
      if resource.kind("blob") == .string {
        let name = resource.string("uri")?.split(separator: "/").last.map(String.init)
        let content = bytes(resource, "blob", named: name, madeBy: maker, in: &record)
        return content.map { ($0, ["type", "resource"]) }
      }
      return resource["text"].flatMap { record.text($0) }.map { (.text($0), ["type", "resource"]) }
    default: return nil
    }
  }

  private static func bytes(
    _ block: JSONObject, _ key: String, named name: String?, madeBy maker: Entry.MadeBy,
    in record: inout RecordReader
  ) -> Entry.Segment.Content? {
    guard let data = block[key], block.kind(key) == .string else { return nil }
    // Some servers put a data URL where plain base64 belongs.
    let url = DataURL(data, in: record.bytes)
    return record.attach(
      base64: url?.payload ?? (data.lowerBound + 1)..<(data.upperBound - 1),
      mediaType: (block.string("mimeType") ?? block.string("mime_type")).map { MediaType($0) }
        ?? url?.mediaType,
      label: nil, fileName: name, madeBy: maker)
  }
}
