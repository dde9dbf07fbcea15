/// Walks over the bytes of a file through a window, and finds where JSON values end.
///
/// It looks at brackets and strings only: whether a value is valid is for a reader to say who has all of it.
struct ByteScanner {
  static let windowSize: Int64 = 1 << 20

  let file: ForeignFile
  /// Where the next byte is read.
  var offset: Int64 = 0
  private var window: [UInt8] = []
  private var start: Int64 = 0

  init(_ file: ForeignFile) { self.file = file }

  /// What makes it impossible to go on, and at which byte.
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
    // A value in a file may be of any size, and whoever waits for it may have enough. What is in memory is short work, and
    // may be an ending, such as keeping an answer that has come, which must go on in a task that was cancelled.
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

  /// Moves behind the string whose opening quote comes next.
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
        // What is escaped may lie in the next window.
        if byte == UInt8(ascii: "\\") { index += 1 }
      }
      offset = start + Int64(index)
    }
    throw Fault(reason: .endsEarly, offset: file.size)
  }

  /// Moves behind the value that comes next.
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
