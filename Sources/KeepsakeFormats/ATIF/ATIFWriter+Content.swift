import Keepsake

// MARK: - What steps say

extension ATIFWriter {
  private static let family = WireFamily("atif")

  /// The `extra` member, in which the format allows any data.
  private static func extra(_ entries: [JSON]) -> JSON {
    ["keepsake": ["entries": .array(entries)]]
  }

  /// Writes the message of a step that is addressed to the model.
  mutating func writeMessage(_ entry: OutgoingEntry, to writer: inout RecordWriter) async throws {
    writer.json.key("message")
    writer.content(try await parts(of: entry))
    writer.member("extra", Self.extra([entry.entry.facts()]))
  }

  /// Writes the entries that a model produced in one answer.
  /// - Returns: The ids that the answer's calls have in the step.
  mutating func write(_ answer: ModelAnswer, to writer: inout RecordWriter) async throws
    -> [Entry.Attachment.CallReference: String]
  {
    var message: [ATIFPart] = []
    var reasoning: [String] = []
    var metrics = ATIFMetrics()
    var facts: [JSON] = []
    for entry in answer.entries {
      let parts = try await parts(of: entry)
      if entry.entry.kind == .reasoning {
        reasoning += parts.map { text(of: $0) }
      } else {
        message += parts
      }
      if let usage = entry.entry.usage {
        metrics.add(usage)
        count(usage)
      }
      facts.append(entry.entry.facts(attachments: try await loose(entry)))
    }
    writer.member("model_name", answer.model)
    writer.json.key("message")
    writer.content(message)
    if !reasoning.isEmpty {
      writer.member("reasoning_content", reasoning.joined(separator: "\n"))
    }
    let ids = writeCalls(answer.calls, to: &writer)
    if !metrics.isEmpty { writer.member("metrics", metrics.ofStep) }
    writer.member("extra", Self.extra(facts))
    return ids
  }

  private mutating func writeCalls(
    _ calls: [(place: Entry.Attachment.CallReference, call: Entry.ToolCall)],
    to writer: inout RecordWriter
  ) -> [Entry.Attachment.CallReference: String] {
    if calls.isEmpty { return [:] }
    var ids: [Entry.Attachment.CallReference: String] = [:]
    var taken: Set<String> = []
    writer.json.key("tool_calls")
    writer.json.beginArray()
    for (place, call) in calls {
      var id = call.id
      // Some files repeat the ids of calls, and others have none. In a step each call needs an id of its own.
      if id.isEmpty || taken.contains(id) { id += "#\(place.position).\(place.ordinal)" }
      taken.insert(id)
      ids[place] = id
      let before = losses[.details]
      let arguments = call.argumentsObject(&losses)
      writer.json.beginObject()
      writer.member("tool_call_id", id)
      writer.member("function_name", call.tool)
      writer.member("arguments", arguments)
      if losses[.details] > before {
        writer.member("extra", ["keepsake": ["arguments": .string(call.arguments)]])
      }
      writer.json.endObject()
    }
    writer.json.endArray()
    return ids
  }

  /// Writes the output of a tool.
  /// - Parameters:
  ///   - entry: The entry of the output.
  ///   - id: The id of the call in the step; nil where the call is not in the step.
  mutating func putResult(_ entry: OutgoingEntry, of id: String?) async throws {
    var writer = RecordWriter()
    writer.json.beginObject()
    writer.member("source_call_id", id)
    writer.json.key("content")
    writer.content(try await parts(of: entry))
    let facts = entry.entry.facts(attachments: try await loose(entry))
    writer.member("extra", Self.extra([facts]))
    writer.json.endObject()
    try output.take(writer.json.bytes)
  }
}

// MARK: - Parts

extension ATIFWriter {
  private mutating func parts(of entry: OutgoingEntry) async throws -> [ATIFPart] {
    var said = entry
    if entry.entry.kind != .prompt { said.loose = [] }
    var parts: [ATIFPart] = []
    for (_, part) in said.parts(of: Self.family, &losses) {
      switch part {
      case .text(let text): parts.append(.text(text))
      case .attachment(let attachment): parts.append(try await self.part(attachment))
      case .raw, .rawAttachment: losses.add(.foreign)
      }
    }
    return parts
  }

  /// Returns an image or a sound by the path of its file, and a placeholder text for any other attachment.
  private mutating func part(_ attachment: OutgoingAttachment) async throws -> ATIFPart {
    if let type = ATIFPart.mediaType(of: attachment), let path = try await path(of: attachment) {
      return .media(type: type, path: path)
    }
    losses.add(.attachments)
    return .text("\(attachment.placeholder) (\(attachment.type.essence))")
  }

  /// The path of the exported file that holds an attachment's bytes, else a public URL; nil where there is neither.
  private func path(of attachment: OutgoingAttachment) async throws -> String? {
    guard case .artifact(let artifact) = attachment.content, let place = output.place else {
      return attachment.openURL
    }
    let path = try await place(artifact, artifact.contentName)
    // The format wants a plain path, so the percent-encoding of the URL is undone.
    return URLPath.decoded(path) ?? path
  }

  /// Gives a part of reasoning as text, because the format has a string for all reasoning of a step.
  private mutating func text(of part: ATIFPart) -> String {
    switch part {
    case .text(let text): return text
    case .media(let type, let path):
      losses.add(.attachments)
      return "[\(path)] (\(type))"
    }
  }

  /// Describes the attachments of an answer or an output that stand in no segment, above all those that a tool made.
  private mutating func loose(_ entry: OutgoingEntry) async throws -> [JSON] {
    if entry.entry.kind == .prompt { return [] }
    var found: [JSON] = []
    for attachment in entry.loose {
      var members: [(String, JSON)] = []
      if let label = attachment.label { members.append(("label", .string(label))) }
      if let caption = attachment.caption { members.append(("caption", .string(caption))) }
      members.append(("mediaType", .string(attachment.type.description)))
      if case .artifact(let artifact) = attachment.content {
        members.append(("artifact", .string(artifact.id.description)))
      }
      if let path = try await path(of: attachment) {
        members.append(("path", .string(path)))
      } else {
        losses.add(.attachments)
      }
      found.append(.object(members))
    }
    return found
  }
}
