/// Walks over the bytes of a file through a window, and finds the ends of JSON values.
///
/// Only brackets and strings are looked at. Whether a value is valid is checked later, when all of it is in memory.
struct ByteScanner {
  static let windowSize: Int64 = 1 << 20

  let file: ForeignFile
  /// The position of the next byte.
  var offset: Int64 = 0
  private var window: [UInt8] = []
  private var start: Int64 = 0

  init(_ file: ForeignFile) { self.file = file }

  /// The reason why the scanner can't go on, and the position of the byte.
  struct Fault: Error {
    enum Reason {
      case endsEarly
      case tooDeep
    }

    let reason: Reason
    let offset: Int64
  }

  /// The next byte; nil at the end of the file.
  mutating func peek() throws -> UInt8? {
    let index = Int(offset - start)
    if index >= 0, index < window.count { return window[index] }
    guard offset < file.size else { return nil }
    // A value in a file may be of any size, so the caller must be able to cancel. Bytes in memory are short work, and
    // reading them may be part of an ending, such as keeping an answer, which has to go on in a cancelled task.
    if !file.isInMemory { try Task.checkCancellation() }
    start = file.isInMemory ? 0 : offset
    window = try file.read(
      start..<(file.isInMemory ? file.size : min(file.size, offset + Self.windowSize)))
    return window[Int(offset - start)]
  }

  mutating func skipSpace() throws {
    while let byte = try peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  /// Moves past the string whose opening quote is the next byte.
  mutating func skipString() throws {
    offset += 1
    while try peek() != nil {
      var index = Int(offset - start)
      while index < window.count {
        let byte = window[index]
        index += 1
        if byte == UInt8(ascii: "\"") {
          offset = start + Int64(index)
          return
        }
        // The byte after a backslash may lie in the next window.
        if byte == UInt8(ascii: "\\") { index += 1 }
      }
      offset = start + Int64(index)
    }
    throw Fault(reason: .endsEarly, offset: file.size)
  }

  /// Moves past the next value.
  mutating func skipValue(depthLimit: Int) throws {
    switch try peek() {
    case nil: throw Fault(reason: .endsEarly, offset: file.size)
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "{"), UInt8(ascii: "["): try skipBrackets(depthLimit: depthLimit)
    default: try skipScalar()
    }
  }

  private mutating func skipBrackets(depthLimit: Int) throws {
    var depth = 0
    while let byte = try peek() {
      switch byte {
      case UInt8(ascii: "\""):
        try skipString()
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        guard depth <= depthLimit else { throw Fault(reason: .tooDeep, offset: offset) }
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      offset += 1
      if depth == 0 { return }
    }
    throw Fault(reason: .endsEarly, offset: file.size)
  }

  private mutating func skipScalar() throws {
    while let byte = try peek() {
      switch byte {
      case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): return
      default: offset += 1
      }
    }
  }
}
