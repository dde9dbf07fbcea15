#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A line of input for `append` with an entry in JSON, as `show --json` prints it or with fewer members.
///
/// An unknown member is an error, because its content would be lost. An attachment may consist of an artifact's id only.
struct EntryLine {
  /// The number of the line, counted from 1 and including blank lines.
  let number: Int
  let entry: Entry

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - bytes: The line.
  ///   - number: The number of the line, for messages.
  ///   - now: The time of attachments for which the line gives none.
  init(_ bytes: [UInt8], number: Int, now: Date) throws {
    self.number = number
    do {
      let json = try JSON(validating: bytes)
      try Self.check(json)
      entry = try Entry(json: Self.completed(json, now: now))
      if entry.text.isEmpty, let text = json["text"]?.stringValue, !text.isEmpty {
        throw Fault("Can't read the entry: its 'segments' don't have its 'text'. Give one of them.")
      }
    } catch let error as JSONError {
      throw Self.refused("Can't read line \(number): \(error)", nil)
    } catch let error as KeepsakeError {
      throw Self.refused(error.message, number)
    } catch let fault as Fault { throw Self.refused(fault.message, number) }
  }

  /// A fault in an entry, with the message for the person.
  private struct Fault: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  /// Makes the error for a line that is refused.
  static func refused(_ message: String, _ line: Int?) -> CommandError {
    let place = line.map { "Line \($0): " } ?? ""
    let end = message.hasSuffix("?") ? "" : "."
    return CommandError(message: "\(place)\(message.clause)\(end) Nothing was appended.")
  }
}

// MARK: - Members that are known

extension EntryLine {
  /// An object of our own JSON forms, with the names of its members.
  struct Shape {
    let name: String
    let members: Set<String>

    static let entry = Shape(
      name: "entry",
      members: [
        "position", "id", "kind", "created", "turn", "status", "visibility", "erased", "key",
        "lane", "author", "model", "text", "segments", "toolCalls", "callID", "tool", "tags",
        "metadata", "options", "responseFormat", "toolDefinitions", "usage", "timing", "signature",
        "foreignTime", "continuesAfter", "attachments",
      ])
    static let segment = Shape(
      name: "segment",
      members: ["id", "text", "structure", "schema", "attachment", "opaque", "type"])
    static let toolCall = Shape(name: "tool call", members: ["id", "tool", "arguments"])
    static let attachment = Shape(
      name: "attachment",
      members: [
        "artifact", "mediaType", "fileName", "label", "caption", "size", "width", "height",
        "direction", "basis", "callID", "tool", "state", "recording", "session", "created",
        "maker", "declaredType", "sniffedType", "position", "segment", "pointer", "range", "turn",
        "call", "invocation", "declaredLabel", "captions", "reference", "inputs",
      ])
    static let call = Shape(name: "attachment's call", members: ["position", "ordinal"])
    static let caption = Shape(name: "caption", members: ["text", "author"])
    static let input = Shape(name: "attachment's input", members: ["artifact", "entry"])

    /// Returns a message about an unknown member; nil for a known one.
    func fault(_ name: String) -> String? {
      if members.contains(name) { return nil }
      let near = UsageError.suggestion(for: name, among: members.sorted())
      return "Can't read the \(self.name): it has no member '\(name)'.\(near)"
    }
  }

  /// Throws if any part of an entry has an unknown member; foreign JSON may have any members.
  private static func check(_ entry: JSON) throws {
    try check(entry, .entry)
    try each(entry["segments"], .segment)
    try each(entry["toolCalls"], .toolCall)
    try each(entry["attachments"], .attachment) { attachment in
      if let call = attachment["call"] { try check(call, .call) }
      try each(attachment["captions"], .caption)
      try each(attachment["inputs"], .input)
    }
  }

  private static func check(_ json: JSON, _ shape: Shape) throws {
    for (name, _) in json.members ?? [] {
      if let fault = shape.fault(name) { throw Fault(fault) }
    }
  }

  private static func each(
    _ list: JSON?, _ shape: Shape, _ inner: (JSON) throws -> Void = { _ in }
  ) throws {
    for element in list?.arrayValue ?? [] {
      try check(element, shape)
      try inner(element)
    }
  }
}

// MARK: - Attachments that say little

extension EntryLine {
  /// Returns the entry with complete attachments, for which the artifact's id is enough.
  private static func completed(_ entry: JSON, now: Date) throws -> JSON {
    guard let members = entry.members, entry["attachments"]?.arrayValue?.isEmpty == false else {
      return entry
    }
    return .object(
      try members.map { name, value in
        guard name == "attachments", let list = value.arrayValue else { return (name, value) }
        return (name, .array(try list.map { try completed($0, of: entry, now: now) }))
      })
  }

  private static func completed(_ attachment: JSON, of entry: JSON, now: Date) throws -> JSON {
    guard let members = attachment.members else {
      throw Fault("Can't read the attachment: it is \(attachment.kind). Give an object.")
    }
    let given = Set(members.filter { !$0.value.isNull }.map(\.key))
    guard given.contains("artifact") || given.contains("state") else {
      throw Fault(
        "Can't read the attachment: its 'artifact' is missing. Name it, sha256: and 64 hexadecimal digits."
      )
    }
    var added: [(String, JSON)] = []
    func add(_ name: String, _ value: String) {
      if !given.contains(name) { added.append((name, .string(value))) }
    }
    // An attachment is made by the call or response of its entry, and otherwise given by the user.
    let callID = attachment["callID"]?.stringValue ?? outputCall(entry)
    let isMade = entry["kind"]?.stringValue == Entry.Kind.response.rawValue
    let maker: Entry.Attachment.Maker = callID != nil ? .toolCall : isMade ? .response : .user
    if !given.contains("maker"), let callID {
      add("callID", callID)
      if let tool = entry["tool"]?.stringValue { add("tool", tool) }
    }
    add("maker", maker.rawValue)
    let named = attachment["maker"]?.stringValue ?? maker.rawValue
    let isGiven = [Entry.Attachment.Maker.user, .source].contains { $0.rawValue == named }
    add("direction", (isGiven ? Entry.Attachment.Direction.given : .made).rawValue)
    add("basis", Entry.Attachment.Basis.explicit.rawValue)
    // The store gives a label if there is none.
    add("label", "")
    add("session", UUID().uuidString.lowercased())
    add("created", RFC3339.text(now.microseconds))
    // The store knows the size, so any number is enough here.
    if given.contains("artifact"), !given.contains("size") { added.append(("size", .number(0))) }
    return .object(members.filter { given.contains($0.key) } + added)
  }

  /// Returns the id of the call that an output answers; nil for other entries.
  private static func outputCall(_ entry: JSON) -> String? {
    guard entry["kind"]?.stringValue == Entry.Kind.toolOutput.rawValue else { return nil }
    return entry["callID"]?.stringValue
  }
}
