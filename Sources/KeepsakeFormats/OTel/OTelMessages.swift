import Keepsake

/// Writes entries as messages of OpenTelemetry's conventions, which have a role and parts.
struct OTelMessages {
  /// The largest artifact that is embedded, in bytes. Larger ones are only named, because collectors refuse large
  /// traces.
  static let blobLimit: Int64 = 1 << 20
  private static let family = WireFamily("otel")

  let hasBytes: Bool
  let place: (@Sendable (_ artifact: Artifact, _ name: String) async throws -> String)?
  var losses = Losses()

  /// Returns the message of an entry that was given to a model.
  mutating func message(_ entry: OutgoingEntry) async throws -> OutgoingRecord {
    var writer = RecordWriter()
    writer.json.beginObject()
    switch entry.entry.kind {
    case .instructions: writer.member("role", "system")
    case .toolOutput: writer.member("role", "tool")
    default: writer.member("role", "user")
    }
    writer.member("name", entry.entry.author)
    writer.json.key("parts")
    writer.json.beginArray()
    if entry.entry.kind == .toolOutput {
      writer.json.beginObject()
      writer.member("type", "tool_call_response")
      writer.member("id", entry.entry.callID)
      writer.json.key("response")
      try await response(entry, to: &writer)
      writer.json.endObject()
    } else {
      try await parts(entry, as: "text", to: &writer)
    }
    writer.json.endArray()
    writer.member("keepsake.entry", entry.entry.facts())
    writer.json.endObject()
    return writer.finish()
  }

  /// Returns the message of a model's answer.
  mutating func message(_ answer: ModelAnswer, finish reason: String) async throws
    -> OutgoingRecord
  {
    var writer = RecordWriter()
    writer.json.beginObject()
    writer.member("role", "assistant")
    writer.json.key("parts")
    writer.json.beginArray()
    for entry in answer.entries {
      let type: StaticString = entry.entry.kind == .reasoning ? "reasoning" : "text"
      try await parts(entry, as: type, to: &writer)
      for call in entry.entry.toolCalls { Self.write(call, to: &writer) }
    }
    writer.json.endArray()
    writer.member("finish_reason", reason)
    writer.member("keepsake.entries", .array(answer.entries.map { $0.entry.facts() }))
    writer.json.endObject()
    return writer.finish()
  }

  /// Writes a tool's output: a string or JSON where that is all of it, else a list of parts.
  mutating func response(_ entry: OutgoingEntry, to writer: inout RecordWriter) async throws {
    if entry.entry.segments.count <= 1, entry.attachments.isEmpty {
      switch entry.entry.segments.first?.content {
      case nil: return writer.json.null()
      case .text(let text): return writer.json.string(text)
      case .structure(let json, _): return writer.json.raw(json)
      case .opaque, .attachment: break
      }
    }
    writer.json.beginArray()
    try await parts(entry, as: "text", to: &writer)
    writer.json.endArray()
  }

  /// Returns the attachments of an answer or output that stand in no segment; nil where there are none.
  mutating func loose(_ entries: [OutgoingEntry]) async throws -> OutgoingRecord? {
    let attachments = entries.flatMap(\.loose)
    if attachments.isEmpty { return nil }
    var writer = RecordWriter()
    writer.json.beginArray()
    for attachment in attachments { try await media(attachment, to: &writer) }
    writer.json.endArray()
    return writer.finish()
  }

  private static func write(_ call: Entry.ToolCall, to writer: inout RecordWriter) {
    writer.json.beginObject()
    writer.member("type", "tool_call")
    writer.member("id", call.id)
    writer.member("name", call.tool)
    // Arguments may be any JSON here; arguments that are no JSON are written as a string.
    writer.member(
      "arguments", (try? JSON(validating: call.arguments)) ?? .string(call.arguments))
    writer.json.endObject()
  }

  private mutating func parts(
    _ entry: OutgoingEntry, as type: StaticString, to writer: inout RecordWriter
  ) async throws {
    var said = entry
    if entry.entry.kind != .prompt { said.loose = [] }
    for (_, part) in said.parts(of: Self.family, &losses) {
      switch part {
      case .text(let text): Self.write(text, as: type, to: &writer)
      case .attachment(let attachment): try await media(attachment, to: &writer)
      case .raw, .rawAttachment: losses.add(.foreign)
      }
    }
  }

  private static func write(
    _ text: String, as type: StaticString, to writer: inout RecordWriter
  ) {
    writer.json.beginObject()
    writer.member("type", "\(type)")
    writer.member("content", text)
    writer.json.endObject()
  }

  /// Writes an attachment as bytes, as a file beside the trace or as a URL, and a placeholder where there is none of
  /// these.
  private mutating func media(
    _ attachment: OutgoingAttachment, to writer: inout RecordWriter
  ) async throws {
    guard let uri = try await uri(of: attachment) else {
      losses.add(.attachments)
      return Self.write(attachment.placeholder, as: "text", to: &writer)
    }
    writer.json.beginObject()
    writer.member("type", uri.isEmpty ? "blob" : "uri")
    writer.member("modality", Self.modality(attachment.type))
    writer.member("mime_type", attachment.type.description)
    if uri.isEmpty {
      writer.json.key("content")
      writer.string("", base64: attachment)
    } else {
      writer.member("uri", uri)
    }
    writer.member("keepsake.label", attachment.label)
    writer.member("keepsake.caption", attachment.caption)
    if case .artifact(let artifact) = attachment.content {
      writer.member("keepsake.artifact", artifact.id.description)
    }
    writer.json.endObject()
  }

  /// The URI of an attachment's bytes: empty where the trace itself holds them, nil where nothing does.
  private mutating func uri(of attachment: OutgoingAttachment) async throws -> String? {
    guard case .artifact(let artifact) = attachment.content else { return attachment.openURL }
    if let place { return try await place(artifact, artifact.contentName) }
    guard hasBytes else { return nil }
    if artifact.size <= Self.blobLimit { return "" }
    losses.add(.attachments)
    return artifact.id.description
  }

  private static func modality(_ type: MediaType) -> String {
    if type.isImage { return "image" }
    if type.isAudio { return "audio" }
    return type.isVideo ? "video" : "document"
  }
}
