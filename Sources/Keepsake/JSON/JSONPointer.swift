/// A path to a value inside a JSON value, as RFC 6901 defines it, such as `/segments/0/text`.
public struct JSONPointer: Sendable, Hashable {
  /// The keys and array indexes of the path, without escapes; empty for the whole value.
  public let tokens: [String]

  /// Creates a pointer from keys and array indexes that are not escaped.
  public init(tokens: [String]) {
    self.tokens = tokens
  }

  /// Reads a pointer from its text: empty for the whole value, or a `/` before each token.
  ///
  /// In a token, `~1` stands for `/` and `~0` for `~`.
  /// - Parameter text: The text of the pointer.
  /// - Throws: A ``JSONError`` if the text is not empty and does not begin with `/`, or has a `~` before another character.
  public init(_ text: String) throws(JSONError) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty else {
      tokens = []
      return
    }
    guard bytes[0] == UInt8(ascii: "/") else { throw JSONError(.pointerWithoutSlash, at: 0) }
    var tokens: [String] = []
    var token: [UInt8] = []
    var index = 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "/") {
        tokens.append(String(decoding: token, as: UTF8.self))
        token.removeAll(keepingCapacity: true)
      } else if byte == UInt8(ascii: "~") {
        switch index + 1 < bytes.count ? bytes[index + 1] : 0 {
        case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
        default: throw JSONError(.pointerEscape, at: index)
        }
        index += 1
      } else {
        token.append(byte)
      }
      index += 1
    }
    tokens.append(String(decoding: token, as: UTF8.self))
    self.tokens = tokens
  }

  /// Returns the pointer to a member or an element of the value at this pointer.
  public func appending(_ token: String) -> JSONPointer {
    JSONPointer(tokens: tokens + [token])
  }

  /// Returns the pointer to an element of the array at this pointer.
  public func appending(_ index: Int) -> JSONPointer {
    appending(String(index))
  }

  /// Returns a token as an array index: digits without a superfluous leading zero; nil for other tokens.
  static func index(_ token: String) -> Int? {
    let digits = token.utf8
    guard digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    return Int(token)
  }

  /// Returns whether two pointers have the same tokens, compared as bytes.
  public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    left.tokens.count == right.tokens.count
      && zip(left.tokens, right.tokens).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(tokens.count)
    for token in tokens {
      for byte in token.utf8 { hasher.combine(byte) }
      hasher.combine(0xFF as UInt8)
    }
  }
}

extension JSONPointer: CustomStringConvertible {
  /// The text of the pointer, with `~` and `/` in tokens escaped.
  public var description: String {
    var bytes: [UInt8] = []
    for token in tokens {
      bytes.append(UInt8(ascii: "/"))
      for byte in token.utf8 {
        switch byte {
        case UInt8(ascii: "~"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "0")]
        case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
        default: bytes.append(byte)
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension JSONPointer: Codable {
  /// Decodes a pointer from its text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      try self.init(container.decode(String.self))
    } catch let error as JSONError {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }

  /// Encodes the pointer as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
