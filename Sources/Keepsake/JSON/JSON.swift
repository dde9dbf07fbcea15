/// A JSON value as the text in which it was written, with its key order, numbers and escapes.
///
/// A value made from foreign text is valid, because it was checked once, when it was made. Two values are equal (`==`) if their
/// texts are the same bytes; ``isEquivalent(to:)`` compares what the texts mean. Reading a member scans the text up to it, so
/// the cost is the length of the text.
public struct JSON: Sendable {
  /// The UTF-8 of the text: one valid value without white space around it.
  package let bytes: [UInt8]

  /// Keeps bytes that a reader checked or the writer wrote: one valid value in UTF-8.
  ///
  /// Bytes from a file or the database must not be used here, because they are not checked again when they are read.
  init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The most levels of nested arrays and objects that a validated text may have.
  public static let depthLimit = 512

  /// Checks that a text is exactly one JSON value, as RFC 8259 defines it, and keeps the text as it is.
  ///
  /// White space around the value is dropped. Repeated keys are legal and kept. An escape of half a surrogate pair is kept as
  /// well, and reads as U+FFFD.
  /// - Parameter text: The text.
  /// - Throws: A ``JSONError`` if the text is anything else, or nests deeper than ``depthLimit``.
  public init(validating text: String) throws(JSONError) {
    // A `String` is always valid UTF-8, so only the grammar is checked.
    try self.init(validating: Array(text.utf8), isUTF8: true)
  }

  /// Checks that bytes are exactly one JSON value in UTF-8, and keeps them as they are.
  ///
  /// ``init(validating:)-(String)`` tells what is accepted.
  /// - Parameter bytes: The bytes.
  /// - Throws: A ``JSONError`` if the bytes are anything else, are not UTF-8, or nest deeper than ``depthLimit``.
  public init(validating bytes: [UInt8]) throws(JSONError) {
    try self.init(validating: bytes, isUTF8: false)
  }

  private init(validating bytes: [UInt8], isUTF8: Bool) throws(JSONError) {
    var reader = JSONReader(bytes.span.bytes, depthLimit: Self.depthLimit, isUTF8: isUTF8)
    let value = try reader.skipValue()
    try reader.end()
    self.bytes = value.count == bytes.count ? bytes : Array(bytes[value])
  }

  /// The value's text, exactly as it was given.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension JSON: CustomStringConvertible {
  /// The value's text.
  public var description: String { text }
}

extension JSON: Hashable {
  /// Returns whether two texts are the same bytes; key order, spelling and white space count.
  public static func == (left: JSON, right: JSON) -> Bool { left.bytes == right.bytes }

  public func hash(into hasher: inout Hasher) {
    // Eight bytes are hashed at a time, because the array's own hash function takes one byte at a time.
    let span = bytes.span.bytes
    var offset = 0
    while offset + 8 <= span.byteCount {
      hasher.combine(span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    while offset < span.byteCount {
      hasher.combine(span.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
      offset += 1
    }
    hasher.combine(bytes.count)
  }
}

extension JSON: Codable {
  /// Decodes a value from a string with its text, as ``encode(to:)`` writes it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      try self.init(validating: container.decode(String.self))
    } catch let error as JSONError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }

  /// Encodes the value as a string with its text, because nested containers would lose the key order and the spelling.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
