#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Writes one span of a trace, attribute by attribute.
struct OTelSpan {
  /// The kind of a span, with OpenTelemetry's number.
  enum Kind: Int64 {
    case `internal` = 1
    case client = 3
  }

  private let take: ([UInt8]) throws -> Void

  /// Begins the span.
  /// - Parameters:
  ///   - name: The span's name.
  ///   - kind: The span's kind.
  ///   - id: The span's id, in hexadecimal digits.
  ///   - parent: The id of the enclosing span; nil for the outermost one.
  ///   - trace: The id of the trace.
  ///   - time: The times of the span.
  ///   - detail: The error's message, which may be empty; nil for a span without an error.
  ///   - take: Takes the next bytes.
  init(
    _ name: String, _ kind: Kind, id: String, in parent: String?, of trace: String,
    from time: OTelTime, failed detail: String?, _ take: @escaping ([UInt8]) throws -> Void
  ) throws {
    self.take = take
    var writer = RecordWriter()
    writer.json.beginObject()
    writer.member("traceId", trace)
    writer.member("spanId", id)
    writer.member("parentSpanId", parent)
    writer.member("name", name)
    writer.member("kind", .number(kind.rawValue))
    writer.member("startTimeUnixNano", OTelTime.nanoseconds(time.start))
    writer.member("endTimeUnixNano", OTelTime.nanoseconds(time.end))
    if let detail {
      let isPlain = detail.isEmpty
      writer.member("status", isPlain ? ["code": 2] : ["code": 2, "message": .string(detail)])
    }
    writer.json.key("attributes")
    writer.json.beginArray()
    try take(writer.json.bytes)
    try take(Self.attribute("keepsake.time.basis", ["stringValue": .string(time.basis.rawValue)]))
    if detail != nil { try add("error.type", "_OTHER") }
  }

  func add(_ key: String, _ text: String?) throws {
    if let text { try add(key, value: ["stringValue": .string(text)]) }
  }

  func add(_ key: String, _ number: Int?) throws {
    if let number { try add(key, value: ["intValue": .string(String(number))]) }
  }

  func add(_ key: String, _ texts: [String]) throws {
    if texts.isEmpty { return }
    let values = JSON.array(texts.map { ["stringValue": .string($0)] })
    try add(key, value: ["arrayValue": ["values": values]])
  }

  private func add(_ key: String, value: JSON) throws {
    try take([UInt8(ascii: ",")])
    try take(Self.attribute(key, value))
  }

  private static func attribute(_ key: String, _ value: JSON) -> [UInt8] {
    JSON.object([("key", .string(key)), ("value", value)]).bytes
  }

  /// Begins an attribute whose value is JSON in a string.
  func begin(_ key: String) throws {
    try take(Array(#",{"key":"\#(key)","value":{"stringValue":""#.utf8))
  }

  /// Adds a piece of JSON to the open attribute.
  func put(_ record: OutgoingRecord) async throws {
    var start = 0
    for hole in record.holes {
      try take(Self.escaped(record.bytes[start..<hole.position]))
      start = hole.position
      // Base64 holds no character that needs escaping in a string.
      try await hole.attachment.read { try take([UInt8](Data($0).base64EncodedData())) }
    }
    try take(Self.escaped(record.bytes[start...]))
  }

  func put(_ text: String) throws { try take(Self.escaped(Array(text.utf8)[...])) }

  /// Ends the open attribute.
  func end() throws { try take(Array(#""}}"#.utf8)) }

  /// Ends the span.
  func finish() throws { try take(Array("]}".utf8)) }

  /// The bytes of JSON, escaped for standing inside of a string.
  private static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var writer = JSONWriter(reserving: bytes.count + bytes.count / 8)
    writer.string(String(decoding: bytes, as: UTF8.self))
    return Array(writer.bytes.dropFirst().dropLast())
  }

  /// An id of 16 hexadecimal digits that depends only on the given parts.
  static func id(_ parts: String...) -> String {
    String(SHA256.digest(of: Array(parts.joined(separator: "\n").utf8)).hex.prefix(16))
  }
}
