#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The header fields of an HTTP request that the protocol defines.
struct MCPHeaders {
  /// A field: missing, given once, or given in a way that can't be read.
  enum Field: Equatable {
    case missing
    case given(String)
    case bad

    /// The value of a field that can be read.
    var value: String? { if case .given(let value) = self { value } else { nil } }
  }

  let version: Field
  let method: Field
  let name: Field

  init(_ call: HTTPCall) {
    version = Self.field(call.values("mcp-protocol-version"))
    method = Self.field(call.values("mcp-method"))
    name = Self.field(call.values("mcp-name"))
  }

  private static func field(_ values: [String]) -> Field {
    guard let value = values.first else { return .missing }
    guard values.count == 1 else { return .bad }
    return decoded(value.trimmed)
  }

  /// Reads a value, which may be `=?base64?…?=` where the text itself can't stand in a header.
  private static func decoded(_ value: String) -> Field {
    let (start, end) = ("=?base64?", "?=")
    guard value.hasPrefix(start), value.hasSuffix(end),
      value.utf8.count >= start.utf8.count + end.utf8.count
    else { return .given(value) }
    let base64 = value.dropFirst(start.count).dropLast(end.count)
    guard let data = Data(base64Encoded: String(base64)),
      let text = String(validating: data, as: UTF8.self)
    else { return .bad }
    return .given(text)
  }

  /// Whether the request is of a revision without a handshake: it names any version but those that have one.
  var isModern: Bool {
    switch version {
    case .missing: false
    case .bad: true
    case .given(let text): Revision(rawValue: text)?.isModern ?? true
    }
  }

  /// The revision with a handshake that is named, or that counts where none is; nil for any other.
  var legacyRevision: Revision? {
    switch version {
    case .missing: .unnamed
    case .bad: nil
    case .given(let text): Revision(rawValue: text).flatMap { $0.isModern ? nil : $0 }
    }
  }

  /// Throws unless the headers say what the body of a request says.
  func check(against envelope: Message.Envelope) throws(ProtocolError) {
    try Self.require(
      "MCP-Protocol-Version", version, envelope.meta(MetaKey.version)?.stringValue)
    try Self.require("Mcp-Method", method, envelope.method)
    switch envelope.method {
    case "tools/call", "prompts/get":
      try Self.require("Mcp-Name", name, envelope.parameters["name"]?.stringValue)
    case "resources/read":
      try Self.require("Mcp-Name", name, envelope.parameters["uri"]?.stringValue)
    default:
      // Other methods have no name, so there is nothing that a header could say.
      if name == .bad {
        throw ProtocolError(.headersDiffer, "The header Mcp-Name can't be read.")
      }
    }
  }

  private static func require(
    _ header: String, _ field: Field, _ body: String?
  ) throws(ProtocolError) {
    switch field {
    case .missing: throw ProtocolError(.headersDiffer, "The header \(header) is missing.")
    case .bad: throw ProtocolError(.headersDiffer, "The header \(header) can't be read.")
    case .given(let text):
      guard let body, text.utf8.elementsEqual(body.utf8) else {
        throw ProtocolError(
          .headersDiffer, "The header \(header) says something else than the body.")
      }
    }
  }
}

extension String {
  /// The text without blanks around it, which HTTP allows.
  fileprivate var trimmed: String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var text = utf8[...]
    while let first = text.first, isBlank(first) { text.removeFirst() }
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(Substring(text))
  }
}
