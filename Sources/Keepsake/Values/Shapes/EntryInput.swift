#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An entry as another program gives it: in the JSON of ``Entry/json``, or with fewer members.
///
/// An unknown member is an error, because its content would be lost. An attachment may consist of an artifact's id only.
package enum EntryInput {
  /// A fault in the JSON of an entry.
  package struct Fault: Error {
    /// A sentence that says what is wrong, and what to give.
    package let message: String
    /// The member that is not known, and those that are; nil and empty for other faults.
    package let unknown: String?
    package let known: [String]

    init(_ message: String, unknown: String? = nil, known: [String] = []) {
      self.message = message
      self.unknown = unknown
      self.known = known
    }
  }

  /// Reads an entry.
  ///
  /// - Parameters:
  ///   - json: The entry.
  ///   - now: The time of attachments for which it gives none.
  /// - Throws: A ``Fault``, or a ``KeepsakeError`` with the code `invalid` about a malformed member.
  package static func entry(_ json: JSON, now: Date) throws -> Entry {
    try check(json)
    let entry = try Entry(json: completed(json, now: now))
    if entry.text.isEmpty, let text = json["text"]?.stringValue, !text.isEmpty {
      throw Fault("Can't read the entry: its 'segments' don't have its 'text'. Give one of them.")
    }
    return entry
  }
}

// MARK: - Members that are known

extension EntryInput {
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

    /// The fault of an unknown member; nil for a known one.
    func fault(_ name: String) -> Fault? {
      if members.contains(name) { return nil }
      return Fault(
        "Can't read the \(self.name): it has no member '\(name)'.",
        unknown: name, known: members.sorted())
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
    var seen: Set<String> = []
    for (name, _) in json.members ?? [] {
      if let fault = shape.fault(name) { throw fault }
      // If a member stands twice, readers of JSON disagree about which value counts, so it is refused.
      guard seen.insert(name).inserted else {
        throw Fault("Can't read the \(shape.name): it has '\(name)' twice. Give it once.")
      }
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

extension EntryInput {
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
    add("session", UUID().text)
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
