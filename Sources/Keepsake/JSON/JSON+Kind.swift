extension JSON {
  /// The kinds of JSON values.
  public enum Kind: Sendable, Hashable, Codable {
    case object, array, string, number, bool, null

    /// Returns the kind of a value that begins with a byte; nil if no value does.
    init?(firstByte: UInt8) {
      switch firstByte {
      case UInt8(ascii: "{"): self = .object
      case UInt8(ascii: "["): self = .array
      case UInt8(ascii: "\""): self = .string
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
      case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
      case UInt8(ascii: "n"): self = .null
      default: return nil
      }
    }
  }

  /// The kind of this value.
  public var kind: Kind { bytes.first.flatMap(Kind.init(firstByte:)) ?? .null }
}

extension JSON.Kind: CustomStringConvertible {
  /// The kind with an article, for error messages.
  public var description: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    }
  }
}
