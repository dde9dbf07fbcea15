#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry {
  /// The entry as JSON, in the shape that `keepsake show --json` prints; foreign JSON stands in it as it was written.
  ///
  /// What most entries have is always there, null or empty where there is nothing; the rest only where it is set.
  public var json: JSON {
    var writer = JSONWriter(reserving: 512 + text.utf8.count * 2)
    writer.beginObject()
    writer.fixed("position", position)
    writer.fixed("id", id.uuidString.lowercased())
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

  /// Reads an entry from the shape that ``json`` has, its members in any order; unknown members are passed over.
  ///
  /// Only `kind` must be there. Without `segments`, `text` becomes one; the arguments of a tool call may be an object
  /// instead of its text. Without `created` it is of now; a null says that its time is not known. What the store assigns
  /// is read too, and assigned anew when the entry is appended.
  /// - Throws: `invalid`, when a member is not what it should be.
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
  /// The segment as JSON: an object whose member is named for what it holds.
  public var json: JSON {
    var writer = JSONWriter()
    EntryBody.write(self, to: &writer, isStored: false)
    return JSON(unchecked: writer.bytes)
  }

  /// Reads a segment from the shape that ``json`` has.
  /// - Throws: `invalid`, when it has no content or a member is not what it should be.
  public init(json: JSON) throws {
    self.init(
      try Content(json: json), id: try JSONMembers(json, of: "segment").text("id"))
  }
}

extension Entry.Segment.Content: JSONRepresentable {
  /// The content as JSON: that of a segment without an id.
  public var json: JSON { Entry.Segment(self).json }

  /// Reads a content from the shape that ``json`` has.
  /// - Throws: `invalid`, when there is none or a member is not what it should be.
  public init(json: JSON) throws {
    let members = try JSONMembers(json, of: "segment")
    // A structure or something opaque may itself be null.
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
      id: try members.text("id") ?? UUID().uuidString.lowercased(),
      tool: try members.required("tool", members.text("tool")),
      arguments: arguments.map { $0.stringValue ?? $0.text } ?? "{}")
  }
}
