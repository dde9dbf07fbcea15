import KeepsakeFiles

/// Cuts a file into lines, with memory for a window and the longest line.
///
/// A line break belongs to the line after it, so that the bytes of a line are the same before and after another line
/// is appended.
struct LineScanner {
  /// A line, with the line breaks and blanks before it.
  struct Line {
    let bytes: [UInt8]
    /// The range of the line's content, without blanks and zero bytes around it; empty for a blank line.
    let content: Range<Int>
    /// The number of the line, counted from 1.
    let number: Int
  }

  private static let windowSize: Int64 = 1 << 20

  private let file: ForeignFile
  private(set) var offset: Int64
  private(set) var number: Int
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0

  /// - Parameters:
  ///   - file: The file.
  ///   - offset: The offset to begin at, which is the end of a line before its line break.
  ///   - number: The number of the line that ends at the offset.
  init(_ file: ForeignFile, from offset: Int64 = 0, line number: Int = 1) {
    self.file = file
    self.offset = offset
    self.number = number
  }

  var isAtEnd: Bool { offset >= file.size }

  /// The next line that is not blank, or the blank rest of the file; nil at the end.
  mutating func next() throws -> Line? {
    guard !isAtEnd else {
      try file.requireUnchanged()
      return nil
    }
    let start = offset
    if start == 0 { try passByteOrderMark() }
    while let byte = try peek(), Self.isBlank(byte) {
      if byte == 0x0A { number += 1 }
      offset += 1
    }
    let first = offset
    try skipToBreak()
    let bytes = try take(start..<offset)
    var content = Int(first - start)..<bytes.count
    while let last = content.last, Self.isBlank(bytes[last]) {
      content = content.lowerBound..<last
    }
    return Line(bytes: bytes, content: content, number: number)
  }

  /// Passes over UTF-8's byte order mark, which some editors write.
  private mutating func passByteOrderMark() throws {
    if try file.read(0..<min(3, file.size)) == [0xEF, 0xBB, 0xBF] { offset = 3 }
  }

  /// Returns whether a byte is white space, or a zero byte, which a crash may leave in a file.
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 || byte == 0
  }

  private mutating func peek() throws -> UInt8? {
    guard offset < file.size else { return nil }
    try fill()
    return window[Int(offset - windowStart)]
  }

  private mutating func fill() throws {
    let index = offset - windowStart
    if index >= 0, index < window.count { return }
    if !file.isInMemory { try Task.checkCancellation() }
    windowStart = offset
    window = try file.read(offset..<min(file.size, offset + Self.windowSize))
  }

  private mutating func skipToBreak() throws {
    while offset < file.size {
      try fill()
      let start = Int(offset - windowStart)
      let found = window.span.bytes.firstOffset(of: 0x0A, from: start)
      if let found {
        offset = windowStart + Int64(found)
        return
      }
      offset = windowStart + Int64(window.count)
    }
  }

  private func take(_ range: Range<Int64>) throws -> [UInt8] {
    if range.lowerBound >= windowStart, range.upperBound <= windowStart + Int64(window.count) {
      return Array(
        window[Int(range.lowerBound - windowStart)..<Int(range.upperBound - windowStart)])
    }
    return try file.read(range)
  }
}
