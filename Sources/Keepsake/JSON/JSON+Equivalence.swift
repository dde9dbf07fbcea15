import KeepsakeFiles

extension JSON {
  /// Returns whether two texts mean the same value, in any spelling.
  ///
  /// White space and the order of an object's members don't matter; values under a repeated key are compared in order. Strings
  /// and keys are compared as bytes after decoding escapes, so NFC and NFD differ. Numbers are compared as exact decimals:
  /// `1e2` is `100`, and `-0` is `0`. A number whose exponent is 10^17 or more equals only its own spelling.
  ///
  /// At worst, the cost is the length of the texts times the depth of their nesting.
  /// - Parameter other: The value to compare with.
  /// - Returns: Whether the values are equivalent.
  public func isEquivalent(to other: JSON) -> Bool {
    // A list of the remaining pairs takes the place of recursion; its order doesn't matter.
    var pending = [(bytes.indices, other.bytes.indices)]
    let left = bytes.span.bytes
    let right = other.bytes.span.bytes
    while let (leftRange, rightRange) = pending.popLast() {
      if equalBytes(left, leftRange, right, rightRange) { continue }
      var leftReader = JSONReader(valid: left)
      var rightReader = JSONReader(valid: right)
      leftReader.position = leftRange.lowerBound
      rightReader.position = rightRange.lowerBound
      guard let isSame = try? isSame(&leftReader, &rightReader, later: &pending), isSame else {
        return false
      }
    }
    return true
  }

  /// Compares two values without their contents, which are added to the list of pairs.
  private func isSame(
    _ left: inout JSONReader, _ right: inout JSONReader,
    later pending: inout [(Range<Int>, Range<Int>)]
  ) throws(JSONError) -> Bool {
    let kind = try left.nextKind()
    guard try right.nextKind() == kind else { return false }
    switch kind {
    case .object:
      let leftMembers = try left.sortedMembers()
      let rightMembers = try right.sortedMembers()
      guard leftMembers.count == rightMembers.count else { return false }
      for (leftMember, rightMember) in zip(leftMembers, rightMembers) {
        guard leftMember.key == rightMember.key else { return false }
        pending.append((leftMember.value, rightMember.value))
      }
      return true
    case .array:
      try left.beginArray()
      try right.beginArray()
      while try left.nextElement() {
        guard try right.nextElement() else { return false }
        pending.append((try left.skipValue(), try right.skipValue()))
      }
      return try !right.nextElement()
    case .string: return try left.stringBytes() == right.stringBytes()
    case .number:
      let leftNumber = JSONDecimal(left.bytes, try left.number())
      let rightNumber = JSONDecimal(right.bytes, try right.number())
      return leftNumber != nil && leftNumber == rightNumber
    case .bool: return try left.bool() == right.bool()
    case .null: return true
    }
  }

  private func equalBytes(
    _ left: RawSpan, _ leftRange: Range<Int>, _ right: RawSpan, _ rightRange: Range<Int>
  ) -> Bool {
    guard leftRange.count == rightRange.count else { return false }
    for index in 0..<leftRange.count {
      let leftByte = left.unsafeLoad(
        fromByteOffset: leftRange.lowerBound + index, as: UInt8.self)
      let rightByte = right.unsafeLoad(
        fromByteOffset: rightRange.lowerBound + index, as: UInt8.self)
      if leftByte != rightByte { return false }
    }
    return true
  }
}

extension JSONReader {
  /// Returns the members of the next object, sorted by the bytes of their keys; members with the same key keep their order.
  fileprivate mutating func sortedMembers() throws(JSONError) -> [(key: [UInt8], value: Range<Int>)]
  {
    var members: [(key: [UInt8], value: Range<Int>)] = []
    try beginObject()
    while try nextKey() { members.append((keyBytes(), try skipValue())) }
    members.sort { left, right in
      if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
      return left.value.lowerBound < right.value.lowerBound
    }
    return members
  }
}
