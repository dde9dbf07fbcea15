import Keepsake

/// Walks through the JSON text of a file without holding the text in memory.
///
/// Small values are read. All others are passed over, and their ranges are returned.
struct JSONWalker {
  /// The limit of nesting, which is high enough for a record whose JSON holds JSON of full depth.
  static let depthLimit = JSONReader.depthLimit
  /// The largest size of a key or another short string, in bytes.
  private static let textLimit: Int64 = 4096

  let file: ForeignFile
  private var scanner: ByteScanner
  private var isFirst = true

  init(_ file: ForeignFile, at offset: Int64 = 0) {
    self.file = file
    scanner = ByteScanner(file)
    scanner.offset = offset
  }

  var offset: Int64 { scanner.offset }

  /// The next byte after white space; nil at the end of the file.
  mutating func peek() throws -> UInt8? {
    try scanner.skipSpace()
    return try scanner.peek()
  }

  mutating func expect(_ byte: Character) throws {
    guard let found = try peek() else {
      throw ByteScanner.Fault(reason: .endsEarly, offset: file.size)
    }
    guard found == byte.asciiValue else {
      throw CopyFault("'\(byte)' was expected at byte \(offset)")
    }
    scanner.offset += 1
  }

  /// Opens an array or an object, whose contents ``nextElement()`` or ``nextKey()`` then reads.
  mutating func open(_ bracket: Character) throws {
    try expect(bracket)
    isFirst = true
  }

  /// Moves to the next element of the open array, whose value must be passed before the next call; false at its end.
  mutating func nextElement() throws -> Bool { try next(closing: "]") }

  /// Moves to the next member of the open object and gives its key; nil at its end.
  mutating func nextKey() throws -> String? {
    guard try next(closing: "}") else { return nil }
    let key = try text()
    try expect(":")
    return key
  }

  private mutating func next(closing bracket: Character) throws -> Bool {
    let byte = try peek()
    if byte == bracket.asciiValue {
      scanner.offset += 1
      // The enclosing array or object now has at least one element.
      isFirst = false
      return false
    }
    if !isFirst {
      try expect(",")
      if try peek() == bracket.asciiValue {
        throw CopyFault("a value was expected at byte \(offset)")
      }
    }
    isFirst = false
    return true
  }

  /// Passes over the next value.
  /// - Returns: The range of the value in the file.
  mutating func skipValue() throws -> Range<Int64> {
    try scanner.skipSpace()
    let start = offset
    try scanner.skipValue(depthLimit: Self.depthLimit)
    guard offset > start else { throw CopyFault("a value was expected at byte \(start)") }
    isFirst = false
    return start..<offset
  }

  /// Passes over a string.
  /// - Returns: The range of the string in the file, without its quotes.
  mutating func skipString() throws -> Range<Int64> {
    guard try peek() == UInt8(ascii: "\"") else {
      throw CopyFault("a string was expected at byte \(offset)")
    }
    let value = try skipValue()
    return (value.lowerBound + 1)..<(value.upperBound - 1)
  }

  /// Reads a short string.
  mutating func text() throws -> String {
    let inside = try skipString()
    guard inside.count <= Self.textLimit,
      let text = try? JSON(
        validating: file.read((inside.lowerBound - 1)..<(inside.upperBound + 1))
      ).stringValue
    else { throw CopyFault("the string at byte \(inside.lowerBound) can't be read") }
    return text
  }

  /// Reads a whole number.
  mutating func integer() throws -> Int64 {
    let value = try skipValue()
    guard value.count <= 64, let number = try? JSON(validating: file.read(value)).intValue else {
      throw CopyFault("a whole number was expected at byte \(value.lowerBound)")
    }
    return number
  }
}
