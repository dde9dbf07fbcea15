// A value was checked when it was made, so that reading it fails only when it is of another kind.

extension JSON {
  /// The first member of this object with this key; nil when there is none, or this is no object.
  ///
  /// Keys compare as bytes after their escapes are decoded.
  public subscript(key: String) -> JSON? {
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.member(Array(key.utf8)) ? reader.rawValue() : nil
  }

  /// The element of this array at an index; nil when there is none, or this is no array.
  public subscript(index: Int) -> JSON? {
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.element(index) ? reader.rawValue() : nil
  }

  /// The value that a pointer leads to from here; nil when it leads nowhere.
  ///
  /// Of members with the same key it takes the first.
  public func value(at pointer: JSONPointer) -> JSON? {
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.descend(pointer) ? reader.rawValue() : nil
  }

  /// The string that this is, its escapes decoded; half of a surrogate pair reads as U+FFFD.
  public var stringValue: String? {
    guard kind == .string else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.string()
  }

  /// The number that this is, when it is a whole number of 64 bits in any spelling.
  public var intValue: Int64? {
    guard kind == .number else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.int()
  }

  /// The double nearest to the number that this is; nil when that would be infinite.
  public var doubleValue: Double? {
    guard kind == .number else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.double()
  }

  /// Whether this is `true` or `false`; nil when it is neither.
  public var boolValue: Bool? {
    kind == .bool ? bytes.first == UInt8(ascii: "t") : nil
  }

  /// Whether this is `null`.
  public var isNull: Bool { kind == .null }

  /// The elements of the array that this is.
  public var arrayValue: [JSON]? {
    guard kind == .array else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.elements()
  }

  /// The members of the object that this is, in their order, with repeated keys.
  public var members: [(key: String, value: JSON)]? {
    guard kind == .object else { return nil }
    var reader = JSONReader(valid: bytes.span.bytes)
    return try? reader.members()
  }
}

extension JSONReader {
  /// Moves to the value of the first member with this key.
  fileprivate mutating func member(_ key: [UInt8]) throws(JSONError) -> Bool {
    guard try nextKind() == .object else { return false }
    try beginObject()
    while try nextKey() {
      if self.key(is: key) { return true }
      try skipValue()
    }
    return false
  }

  /// Moves to an element of the array that comes next.
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
