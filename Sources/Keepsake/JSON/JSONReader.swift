import KeepsakeFiles

/// Reads JSON directly from borrowed bytes, value by value, without copying or indexing them first.
///
/// The bytes are not trusted: each step checks what it passes, a step that throws reads nothing out of bounds, and no buffer
/// gets its size from a length in the text. After an error, the reader must not be used.
///
///
///     var reader = JSONReader(bytes)
///     try reader.beginObject()
///     while try reader.nextKey() {
///       if reader.key(is: "text") { text = try reader.string() } else { try reader.skipValue() }
///     }
///     try reader.end()
package struct JSONReader: ~Copyable, ~Escapable {
  let bytes: RawSpan
  let count: Int

  /// The offset of the next byte to read.
  package internal(set) var position = 0

  /// The number of open arrays and objects.
  var depth = 0
  let depthLimit: Int

  /// Whether the bytes are known to be UTF-8, so that skipping need not check that.
  let isUTF8: Bool

  /// Whether the bytes are known to be one valid value, so that skipping only matches brackets.
  let isValid: Bool

  /// Whether an array or object was just opened, so that no comma comes before the next value.
  var isFirst = false

  /// The key of the current member.
  var currentKey = StringExtent(start: 0, end: 0, hasEscape: false, isASCII: true)

  /// The buffer for decoding strings with escapes, which is kept, so that many strings cost one allocation.
  var scratch: [UInt8]

  /// The most levels of nesting: twice those of a single value, because a body has such values inside of its own structure.
  package static var depthLimit: Int { 2 * JSON.depthLimit }

  /// Creates a reader of bytes of any origin.
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan) {
    self.init(bytes, depthLimit: Self.depthLimit, isUTF8: false)
  }

  /// Creates a reader of bytes of any origin with the buffer of an earlier reader; ``takeScratch()`` passes it on.
  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, scratch: consuming [UInt8]) {
    self.init(bytes, depthLimit: Self.depthLimit, isUTF8: false)
    self.scratch = scratch
  }

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, depthLimit: Int, isUTF8: Bool) {
    precondition(depthLimit <= Self.depthLimit)
    self.bytes = bytes
    self.count = bytes.byteCount
    self.depthLimit = depthLimit
    self.isUTF8 = isUTF8
    self.isValid = false
    self.scratch = []
  }

  /// Creates a reader of a value that was checked when it was made, or that this library built, of any depth.
  @_lifetime(copy bytes)
  package init(valid bytes: RawSpan) {
    self.bytes = bytes
    self.count = bytes.byteCount
    self.depthLimit = .max
    self.isUTF8 = true
    self.isValid = true
    self.scratch = []
  }

  /// Takes the buffer for decoded strings out of the reader, for the next reader.
  mutating func takeScratch() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &scratch)
    return taken
  }

  /// Returns the byte at an offset; past the end it returns 0, which no valid text contains.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    offset < count ? bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) : 0
  }

  /// Makes the error for an unexpected byte, or for the end of the text.
  @inline(never)
  func fault(_ reason: JSONError.Reason, at offset: Int) -> JSONError {
    if offset >= count { return JSONError(.endsEarly, at: count) }
    if offset == 0, count >= 3, byte(at: 0) == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF {
      return JSONError(.byteOrderMark, at: 0)
    }
    return JSONError(reason, at: offset)
  }

  /// Returns the offset of the first byte from `offset` on that is not white space.
  @inline(__always)
  func skipSpace(_ offset: Int) -> Int {
    var offset = offset
    while offset < count {
      switch bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return offset
      }
    }
    return offset
  }
}

// MARK: - Structure

extension JSONReader {
  /// Returns the kind of the next value; only white space is consumed.
  package mutating func nextKind() throws(JSONError) -> JSON.Kind {
    position = skipSpace(position)
    guard let kind = JSON.Kind(firstByte: byte(at: position)) else {
      throw fault(.noValue, at: position)
    }
    return kind
  }

  /// Opens an object, whose members are read with ``nextKey()``.
  package mutating func beginObject() throws(JSONError) {
    try begin(UInt8(ascii: "{"), .object)
  }

  /// Opens an array, whose elements are read with ``nextElement()``.
  package mutating func beginArray() throws(JSONError) {
    try begin(UInt8(ascii: "["), .array)
  }

  private mutating func begin(_ bracket: UInt8, _ kind: JSON.Kind) throws(JSONError) {
    position = skipSpace(position)
    guard byte(at: position) == bracket else { throw wrongKind(kind) }
    depth += 1
    guard depth <= depthLimit else { throw JSONError(.tooDeep(limit: depthLimit), at: position) }
    position += 1
    isFirst = true
  }

  /// Moves to the open object's next member and past its key; returns false once, when the object ends.
  ///
  /// The member's value must be read or skipped before the next call.
  package mutating func nextKey() throws(JSONError) -> Bool {
    position = skipSpace(position)
    let next = byte(at: position)
    if next == UInt8(ascii: "}") {
      close()
      return false
    }
    if !isFirst {
      guard next == UInt8(ascii: ",") else { throw fault(.noCommaInObject, at: position) }
      position = skipSpace(position + 1)
    }
    isFirst = false
    guard byte(at: position) == UInt8(ascii: "\"") else { throw fault(.noKey, at: position) }
    currentKey = try string(at: position)
    position = skipSpace(currentKey.end + 1)
    guard byte(at: position) == UInt8(ascii: ":") else { throw fault(.noColon, at: position) }
    position += 1
    return true
  }

  /// Moves to the open array's next element; returns false once, when the array ends.
  ///
  /// The element must be read or skipped before the next call.
  package mutating func nextElement() throws(JSONError) -> Bool {
    position = skipSpace(position)
    let next = byte(at: position)
    if next == UInt8(ascii: "]") {
      close()
      return false
    }
    if !isFirst {
      guard next == UInt8(ascii: ",") else { throw fault(.noCommaInArray, at: position) }
      position = skipSpace(position + 1)
      // Without this check, `[1,]` would end at the next call.
      guard byte(at: position) != UInt8(ascii: "]") else { throw fault(.noValue, at: position) }
    }
    isFirst = false
    return true
  }

  private mutating func close() {
    position += 1
    depth -= 1
    isFirst = false
  }

  /// Skips an exact spelling, and returns whether it was there; otherwise the position stays.
  ///
  /// Brackets in it do not count as opened or closed, so only values and literals may be read afterwards.
  @inline(__always)
  mutating func passes(_ literal: StaticString) -> Bool {
    let end = position + literal.utf8CodeUnitCount
    guard bytes.spells(literal, from: position, to: end) else { return false }
    position = end
    return true
  }

  /// Throws if anything but white space is left.
  package mutating func end() throws(JSONError) {
    position = skipSpace(position)
    guard position == count else { throw JSONError(.contentAfterValue, at: position) }
  }

  /// Makes the error for a value of another kind than expected.
  func wrongKind(_ expected: JSON.Kind) -> JSONError {
    JSON.Kind(firstByte: byte(at: position)) == nil
      ? fault(.noValue, at: position)
      : JSONError(.wrongKind(expected: expected), at: position)
  }
}

// MARK: - Keys

extension JSONReader {
  /// Returns whether the current member's key equals a literal; allocates nothing unless the key has an escape.
  @inline(__always)
  package mutating func key(is key: StaticString) -> Bool {
    if !currentKey.hasEscape {
      return bytes.spells(key, from: currentKey.start, to: currentKey.end)
    }
    let length = decode(currentKey)
    return scratch.span.bytes.spells(key, from: 0, to: length)
  }

  /// Returns whether the current member's key has the given UTF-8.
  mutating func key(is key: [UInt8]) -> Bool {
    if currentKey.hasEscape { return keyBytes() == key }
    guard currentKey.end - currentKey.start == key.count else { return false }
    for index in key.indices where key[index] != byte(at: currentKey.start + index) { return false }
    return true
  }

  /// Returns the UTF-8 of the current member's key.
  mutating func keyBytes() -> [UInt8] { ownedBytes(currentKey) }

  /// Returns the current member's key.
  package mutating func key() -> String { text(currentKey) }
}
