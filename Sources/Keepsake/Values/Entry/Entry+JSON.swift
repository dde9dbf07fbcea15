#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry {
  /// The entry as JSON, as `keepsake show --json` prints it; foreign JSON in it stays as it was written.
  ///
  /// Members that most entries have are always there, null or empty without a value. Other members are there only with a value.
  public var json: JSON {
    var writer = JSONWriter(reserving: 512 + text.utf8.count * 2)
    writer.beginObject()
    writer.fixed("position", position)
    writer.fixed("id", id.text)
    writer.fixed("kind", kind.rawValue)
    writer.fixed("created", created.map { RFC3339.text($0.microseconds) })
    writer.member("turn", turn)
    if status != .complete { writer.member("status", status.rawValue) }
    if visibility != .everyone { writer.member("visibility", visibility.rawValue) }
    if isErased {
      writer.key("erased")
      writer.bool(true)
    }
    writer.member("key", key)
    writer.member("lane", lane)
    writer.member("author", author)
    writer.member("model", model)
    writer.fixed("text", text)
    writer.key("segments")
    writer.beginArray()
    for segment in segments { EntryBody.write(segment, to: &writer, isStored: false) }
    writer.endArray()
    writer.key("toolCalls")
    writer.beginArray()
    for call in toolCalls { EntryBody.write(call, to: &writer) }
    writer.endArray()
    writer.fixed("callID", callID)
    writer.fixed("tool", tool)
    if let rare = rare?.value { EntryBody.write(rare, to: &writer) }
    writer.key("attachments")
    writer.beginArray()
    for attachment in attachments { attachment.write(to: &writer) }
    writer.endArray()
    writer.endObject()
    return JSON(unchecked: writer.bytes)
  }

  /// Reads an entry from the JSON that ``json`` gives; members may be in any order, and unknown members are ignored.
  ///
  /// Only `kind` is required. Without `segments`, `text` becomes a segment. The arguments of a tool call may be an object or
  /// its text. Without `created`, the entry gets the present time; null means an unknown time. Members that the store assigns
  /// are read, and assigned anew when the entry is appended.
  /// - Parameter json: The entry as a JSON object.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` if a member is malformed.
  public init(json: JSON) throws {
    let members = try JSONMembers(json, of: "entry")
    let kind = try members.required("kind", members.name("kind", as: Kind.self))
    self.init(
      kind, segments: try members.array("segments").map(Segment.init(json:)),
      toolCalls: try members.array("toolCalls").map(ToolCall.init(json:)),
      id: try members.id("id") ?? UUID(),
      created: try json["created"]?.isNull == true ? nil : members.date("created") ?? Date())
    if members["segments"] == nil, let text = try members.text("text") { segments = [.text(text)] }
    position = try members.int("position")
    turn = try members.int("turn")
    status = try members.name("status", as: Status.self) ?? .complete
    visibility = try members.name("visibility", as: Visibility.self) ?? .everyone
    isErased = members["erased"]?.boolValue ?? false
    callID = try members.text("callID")
    tool = try members.text("tool")
    key = try members.text("key")
    lane = try members.text("lane")
    author = try members.text("author")
    model = try members.text("model")
    tags = try members.array("tags").map { tag in
      guard let tag = tag.stringValue else {
        throw KeepsakeError(.invalid, "Can't read the entry: a tag is \(tag.kind). Give strings.")
      }
      return tag
    }
    metadata = members["metadata"]
    options = members["options"]
    responseFormat = members["responseFormat"]
    toolDefinitions = members["toolDefinitions"]
    rawUsage = members["usage"]
    timing = members["timing"]
    signature = try members.text("signature")
    foreignTime = try members.text("foreignTime")
    continuesAfter = try members.int("continuesAfter")
    attachments = try members.array("attachments").map(Attachment.init(json:))
  }
}

extension Entry: JSONRepresentable {}

extension Entry.Segment: JSONRepresentable {
  /// The segment as a JSON object, in which the name of a member tells the kind of content.
  public var json: JSON {
    var writer = JSONWriter()
    EntryBody.write(self, to: &writer, isStored: false)
    return JSON(unchecked: writer.bytes)
  }

  /// Reads a segment from the JSON that ``json`` gives.
  ///
  /// - Parameter json: The segment as a JSON object.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` if there is no content, or a member is malformed.
  public init(json: JSON) throws {
    self.init(
      try Content(json: json), id: try JSONMembers(json, of: "segment").text("id"))
  }
}

extension Entry.Segment.Content: JSONRepresentable {
  /// The content as JSON, in the shape of a segment without an id.
  public var json: JSON { Entry.Segment(self).json }

  /// Reads content from the JSON that ``json`` gives.
  ///
  /// - Parameter json: The content as a JSON object.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` if there is no content, or a member is malformed.
  public init(json: JSON) throws {
    let members = try JSONMembers(json, of: "segment")
    // The value of `structure` or `opaque` may itself be null, so these members are looked up directly.
    if let structure = json["structure"] {
      self = .structure(structure, schema: try members.text("schema"))
    } else if let opaque = json["opaque"] {
      self = .opaque(opaque, type: try members.text("type") ?? "")
    } else if let index = try members.int("attachment") {
      self = .attachment(index)
    } else {
      self = .text(try members.required("text", members.text("text")))
    }
  }
}

extension Entry.ToolCall {
  init(json: JSON) throws {
    let members = try JSONMembers(json, of: "tool call")
    let arguments = members["arguments"]
    self.init(
      id: try members.text("id") ?? UUID().text,
      tool: try members.required("tool", members.text("tool")),
      arguments: arguments.map { $0.stringValue ?? $0.text } ?? "{}")
  }
}
