import Keepsake

/// Reads the content of one message of ChatGPT: texts, and pointers to images and other files.
struct ChatGPTContent {
  /// The content's type, as the export spells it.
  let type: String
  private let content: JSONObject?
  private let message: JSONObject
  private let assets: AssetFolder?
  private let maker: Entry.MadeBy

  init(_ message: JSONObject, _ assets: AssetFolder?, madeBy maker: Entry.MadeBy) {
    self.message = message
    self.assets = assets
    self.maker = maker
    content = message.object("content")
    type = content?.string("content_type") ?? ""
  }

  func text(_ key: String, in record: inout RecordReader) -> String? {
    guard let text = content?[key].flatMap({ record.text($0) }), !text.isEmpty else { return nil }
    return text
  }

  /// The texts of all parts, joined by newlines.
  func joinedParts(in record: inout RecordReader) -> String {
    segments(in: &record).compactMap(\.text).joined(separator: "\n")
  }

  func segments(in record: inout RecordReader) -> [Entry.Segment] {
    guard let content else { return [] }
    switch type {
    case "text", "multimodal_text":
      return (content.elements("parts") ?? []).compactMap { part($0, in: &record) }
    case "thoughts":
      return (content.elements("thoughts") ?? []).compactMap { thought in
        let object = JSONObject(thought, in: record.bytes)
        let words = ["summary", "content"].compactMap { object?.name($0) }
        return words.isEmpty ? nil : .text(words.joined(separator: "\n"))
      }
    case "computer_output":
      let screenshot = content["screenshot"].flatMap { part($0, in: &record) }
      return screenshot.map { [$0] } ?? []
    default: return others(content, in: &record)
    }
  }

  /// Reads a content of another type: its text, under one of a few names; without one it is kept as opaque.
  private func others(_ content: JSONObject, in record: inout RecordReader) -> [Entry.Segment] {
    for key in ["text", "content", "result"] where content.kind(key) == .string {
      return text(key, in: &record).map { [.text($0)] } ?? []
    }
    guard let place = message["content"], !content.members.isEmpty else { return [] }
    record.remark("A content of the type '\(type)' is kept as it is: the type is not known here.")
    return [.init(record.opaque(place, type: type.isEmpty ? "content" : type))]
  }

  private func part(_ range: Range<Int>, in record: inout RecordReader) -> Entry.Segment? {
    if let text = record.text(range) { return text.isEmpty ? nil : .text(text) }
    guard let part = JSONObject(range, in: record.bytes) else { return nil }
    switch part.string("content_type") {
    case "audio_transcription":
      return part["text"].flatMap { record.text($0) }.map { .text($0) }
    case "real_time_user_audio_video_asset_pointer":
      guard let inner = part["audio_asset_pointer"] else { return nil }
      if let pointer = JSONText.string(inner, in: record.bytes) {
        return .init(asset(pointer, mediaType: nil, in: &record))
      }
      return self.part(inner, in: &record)
    default: break
    }
    if let pointer = part.name("asset_pointer") {
      let format = part.name("format").map { MediaType("audio/\($0)") }
      return .init(asset(pointer, mediaType: format, in: &record))
    }
    record.remark("A part of a message is kept as it is: it is not understood here.")
    return .init(record.opaque(range, type: part.string("content_type") ?? "part"))
  }

  /// The files that a person gave with a message, except those that stand in the content.
  func files(in record: inout RecordReader) -> [Entry.Segment] {
    let pointers = (content?.elements("parts") ?? []).compactMap { part in
      JSONObject(part, in: record.bytes)?.name("asset_pointer").map(Self.id)
    }
    let files = message.object("metadata")?.elements("attachments") ?? []
    return files.compactMap { element in
      guard let file = JSONObject(element, in: record.bytes), let id = file.name("id"),
        !pointers.contains(id)
      else { return nil }
      let type = (file.name("mime_type") ?? file.name("mimeType")).map { MediaType($0) }
      return .init(asset(id, mediaType: type, fileName: file.name("name"), in: &record))
    }
  }

  /// The images that a program drew while a tool ran it.
  func drawn(in record: inout RecordReader) -> [Entry.Segment] {
    let result = message.object("metadata")?.object("aggregate_result")
    return (result?.elements("messages") ?? []).compactMap { element in
      guard let one = JSONObject(element, in: record.bytes),
        one.string("message_type") == "image", let url = one.name("image_url")
      else { return nil }
      return .init(asset(url, mediaType: nil, in: &record))
    }
  }

  // MARK: - Files

  /// Attaches the file that a pointer names, or records it as missing.
  private func asset(
    _ pointer: String, mediaType: MediaType?, fileName: String? = nil,
    in record: inout RecordReader
  ) -> Entry.Segment.Content {
    guard let file = assets?.file(Self.id(pointer)) else {
      return record.attach(missing: pointer, mediaType: mediaType, madeBy: maker)
    }
    return record.attach(file, mediaType: mediaType, fileName: fileName, madeBy: maker)
  }

  /// The id in a pointer, without its scheme and without the suffixes of `sediment://file_1#file_2#p_0.jpg`.
  private static func id(_ pointer: String) -> String {
    let id = pointer.firstRange(of: "://").map { pointer[$0.upperBound...] } ?? pointer[...]
    return String(id.prefix { $0 != "#" && $0 != "?" })
  }
}
