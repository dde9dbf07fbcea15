// A value was checked when it was made, so reading fails only if it is of another kind.

extension JSON {
  /// The first member of an object with a key; nil if there is none, or the value is not an object.
  ///
  /// Keys are compared as bytes after decoding escapes.
  public subscript(key: String) -> JSON? {
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.member(Array(key.utf8)) ? reader.rawValue() : nil
  }

  /// The element of an array at an index; nil if there is none, or the value is not an array.
  public subscript(index: Int) -> JSON? {
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.element(index) ? reader.rawValue() : nil
  }

  /// Returns the value at a pointer; nil if the pointer leads nowhere. Of members with the same key, the first counts.
  public func value(at pointer: JSONPointer) -> JSON? {
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.descend(pointer) ? reader.rawValue() : nil
  }

  /// The string with its escapes decoded; half of a surrogate pair reads as U+FFFD. Nil for other kinds.
  public var stringValue: String? {
    guard kind == .string else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.string()
  }

  /// The number, if it is a whole number of 64 bits in any spelling; otherwise nil.
  public var intValue: Int64? {
    guard kind == .number else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.int()
  }

  /// The double nearest to the number; nil if that would be infinite, and for other kinds.
  public var doubleValue: Double? {
    guard kind == .number else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.double()
  }

  /// The truth value; nil for other kinds.
  public var boolValue: Bool? {
    kind == .bool ? bytes.first == UInt8(ascii: "t") : nil
  }

  /// Whether the value is `null`.
  public var isNull: Bool { kind == .null }

  /// The elements of an array; nil for other kinds.
  public var arrayValue: [JSON]? {
    guard kind == .array else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.elements()
  }

  /// The members of an object in order, with repeated keys; nil for other kinds.
  public var members: [(key: String, value: JSON)]? {
    guard kind == .object else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.members()
  }
}

extension JSONReader {
  /// Moves to the value of the first member with a key, and returns whether there is one.
  fileprivate mutating func member(_ key: [UInt8]) throws(JSONError) -> Bool {
    guard try nextKind() == .object else { return false }
    try beginObject()
    while try nextKey() {
      if self.key(is: key) { return true }
      try skipValue()
    }
    return false
  }

  /// Moves to an element of the next array, and returns whether there is one.
  fileprivate mutating func element(_ index: Int) throws(JSONError) -> Bool {
    guard index >= 0, try nextKind() == .array else { return false }
    try beginArray()
    var left = index
    while try nextElement() {
      if left == 0 { return true }
      left -= 1
      try skipValue()
    }
    return false
  }

  fileprivate mutating func descend(_ pointer: JSONPointer) throws(JSONError) -> Bool {
    for token in pointer.tokens {
      switch try nextKind() {
      case .object: guard try member(Array(token.utf8)) else { return false }
      case .array:
        guard let index = JSONPointer.index(token), try element(index) else { return false }
      default: return false
      }
    }
    return true
  }

  fileprivate mutating func elements() throws(JSONError) -> [JSON] {
    var elements: [JSON] = []
    try beginArray()
    while try nextElement() { elements.append(try rawValue()) }
    return elements
  }

  fileprivate mutating func members() throws(JSONError) -> [(key: String, value: JSON)] {
    var members: [(key: String, value: JSON)] = []
    try beginObject()
    while try nextKey() { members.append((key(), try rawValue())) }
    return members
  }
}
