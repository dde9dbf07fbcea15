import KeepsakeFiles
import Keepsake

/// Cuts a file that is one JSON document into the elements of one of its arrays, and what stands around them.
///
/// Its memory is that of a window and one element, whatever the size of the file. All pieces together are the file. Every
/// element is checked when it is handed over, and what is around them when the last piece is.
struct JSONDocument {
  enum Piece {
    /// What stands before the elements, or behind them.
    case envelope([UInt8], remarks: [String])
    case element(Element)
  }

  /// An element, with the separators before it.
  struct Element {
    let bytes: [UInt8]
    /// Where in the bytes its value stands.
    let value: Range<Int>
    /// Counted from 1.
    let number: Int
  }

  /// What is around the elements is held in memory, and should be little.
  static let envelopeLimit: Int64 = 16 << 20
  static let depthLimit = JSON.depthLimit
  /// An element is held in memory, and what it says beside it.
  static let elementLimit: Int64 = 1 << 30

  private enum State { case beginning, elements, end }

  /// Where the array may stand: the keys that lead to it; none of them where it is the document itself.
  private let paths: [[String]]
  private let file: ForeignFile
  private let elementLimit: Int64
  private var scanner: ByteScanner
  private var state = State.beginning
  private var prefix: [UInt8] = []
  private var count = 0

  init(_ file: ForeignFile, arrayAt paths: [[String]], elementLimit: Int64 = Self.elementLimit) {
    self.file = file
    self.elementLimit = elementLimit
    self.paths = paths
    scanner = ByteScanner(file)
  }

  /// The next piece; nil behind the last.
  mutating func next() throws -> Piece? {
    do {
      switch state {
      case .beginning:
        try findArray()
        guard scanner.offset <= Self.envelopeLimit else { throw tooLarge() }
        prefix = try file.read(0..<scanner.offset)
        state = .elements
        return .envelope(prefix, remarks: [])
      case .elements:
        if let element = try element() { return .element(element) }
        state = .end
        return try suffix()
      case .end:
        try file.requireUnchanged()
        return nil
      }
    } catch let fault as ByteScanner.Fault {
      throw error(fault)
    }
  }
}

// MARK: - What stands around the array

extension JSONDocument {
  /// What stands around the elements, with the array empty; nil where the document is damaged, which is told when it is
  /// read. No element is looked into.
  static func envelope(of file: ForeignFile, arrayAt paths: [[String]]) throws -> JSON? {
    var document = JSONDocument(file, arrayAt: paths)
    do {
      return try document.envelope()
    } catch is ByteScanner.Fault {
      return nil
    } catch let error as FormatError where error.code == .malformed {
      return nil
    }
  }

  private mutating func envelope() throws -> JSON? {
    try findArray()
    let start = scanner.offset
    while true {
      try scanner.skipSpace()
      switch try scanner.peek() {
      // No element begins with a brace that closes.
      case nil, UInt8(ascii: "}"): return nil
      case UInt8(ascii: ","): scanner.offset += 1
      case UInt8(ascii: "]"):
        let end = scanner.offset
        guard start + file.size - end <= Self.envelopeLimit else { return nil }
        let prefix = try file.read(0..<start)
        let mark = prefix.starts(with: Self.byteOrderMark) ? 3 : 0
        var suffix = try file.read(end..<file.size)
        while suffix.last == 0 { suffix.removeLast() }
        return try? JSON(validating: Array(prefix[mark...]) + suffix)
      default: try scanner.skipValue(depthLimit: Self.depthLimit)
      }
    }
  }
}

// MARK: - The way to the array

extension JSONDocument {
  private mutating func findArray() throws {
    try passByteOrderMark()
    try scanner.skipSpace()
    if try scanner.peek() == UInt8(ascii: "["), paths.contains([]) {
      scanner.offset += 1
      return
    }
    guard try scanner.peek() == UInt8(ascii: "{") else {
      throw malformed("it does not begin with '{'", at: scanner.offset)
    }
    scanner.offset += 1
    // For each open object: the paths that lead through it, and which of their keys came already.
    var open: [(paths: [[String]], seen: Set<String>)] = [(paths.filter { !$0.isEmpty }, [])]
    while let level = open.indices.last {
      try scanner.skipSpace()
      switch try scanner.peek() {
      case nil: throw ByteScanner.Fault(reason: .endsEarly, offset: file.size)
      case UInt8(ascii: "}"):
        scanner.offset += 1
        open.removeLast()
      case UInt8(ascii: ","): scanner.offset += 1
      case UInt8(ascii: "\""):
        let key = try key()
        // Of a key that comes twice the first counts, as for Foundation's decoder.
        let matching =
          open[level].seen.insert(key).inserted
          ? open[level].paths.filter { $0[level] == key } : []
        let next = try scanner.peek()
        if matching.contains(where: { $0.count == level + 1 }) {
          guard next == UInt8(ascii: "[") else {
            throw malformed("'\(key)' is no array", at: scanner.offset)
          }
          scanner.offset += 1
          return
        }
        if !matching.isEmpty, next == UInt8(ascii: "{") {
          scanner.offset += 1
          open.append((matching, []))
        } else {
          try scanner.skipValue(depthLimit: Self.depthLimit)
        }
      default: throw malformed("a key was expected", at: scanner.offset)
      }
    }
    let names = paths.filter { !$0.isEmpty }.map { "'\($0.joined(separator: "."))'" }
      .joined(separator: " nor at ")
    throw malformed("it has no entries at \(names)", at: nil)
  }

  /// Three bytes that some editors put before UTF-8: they are kept. Other encodings are refused.
  private mutating func passByteOrderMark() throws {
    let head = try file.read(0..<min(3, file.size))
    if head == Self.byteOrderMark { scanner.offset = 3 }
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) {
      throw malformed("it is UTF-16; convert it to UTF-8", at: 0)
    }
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Reads a key, and moves to its value.
  private mutating func key() throws -> String {
    let start = scanner.offset
    try scanner.skipString()
    let range = start..<scanner.offset
    try scanner.skipSpace()
    guard try scanner.peek() == UInt8(ascii: ":") else {
      throw malformed("':' was expected after the key", at: scanner.offset)
    }
    scanner.offset += 1
    try scanner.skipSpace()
    // No key that leads anywhere is longer.
    guard range.count <= 1024 else { return "" }
    return (try? JSON(validating: try file.read(range)))?.stringValue ?? ""
  }
}

// MARK: - Elements and end

extension JSONDocument {
  private mutating func element() throws -> Element? {
    let start = scanner.offset
    try scanner.skipSpace()
    let isLast = try scanner.peek() == UInt8(ascii: "]")
    if isLast {
      scanner.offset = start
      return nil
    }
    if count > 0 {
      guard let comma = try scanner.peek() else {
        throw ByteScanner.Fault(reason: .endsEarly, offset: file.size)
      }
      guard comma == UInt8(ascii: ",") else {
        throw malformed("',' or ']' was expected after entry \(count)", at: scanner.offset)
      }
      scanner.offset += 1
      try scanner.skipSpace()
    }
    let valueStart = scanner.offset
    if let byte = try scanner.peek(), [UInt8](",]}".utf8).contains(byte) {
      throw malformed("a value was expected after entry \(count)", at: valueStart)
    }
    do {
      count += 1
      try scanner.skipValue(depthLimit: Self.depthLimit)
    } catch let fault as ByteScanner.Fault {
      throw error(fault, entryAt: valueStart)
    }
    guard scanner.offset - valueStart <= elementLimit else { throw tooLarge(entryAt: valueStart) }
    let bytes = try file.read(start..<scanner.offset)
    let value = Int(valueStart - start)..<bytes.count
    try check(bytes, value, at: start)
    return Element(bytes: bytes, value: value, number: count)
  }

  private func check(_ bytes: [UInt8], _ value: Range<Int>, at start: Int64) throws {
    var reader = JSONReader(bytes.span.bytes.extracting(value))
    do {
      try reader.skipValue()
      try reader.end()
    } catch {
      let moved = error.moved(by: Int(start) + value.lowerBound)
      throw invalid(moved, entryAt: start + Int64(value.lowerBound))
    }
  }

  private mutating func suffix() throws -> Piece {
    let start = scanner.offset
    guard file.size - start <= Self.envelopeLimit else { throw tooLarge() }
    let suffix = try file.read(start..<file.size)
    var remarks: [String] = []
    // A file system that lost power pads a file with zeros.
    let padding = suffix.reversed().prefix { $0 == 0 }.count
    if padding > 0 { remarks.append("\(padding) zero bytes follow the document; they are kept.") }
    let mark = prefix.starts(with: Self.byteOrderMark) ? 3 : 0
    let envelope: JSON
    do {
      envelope = try JSON(validating: Array(prefix[mark...]) + suffix.dropLast(padding))
    } catch {
      let before = prefix.count - mark
      throw invalid(
        error.moved(by: error.offset < before ? mark : Int(start) - before), entryAt: nil)
    }
    remarks += repeatedKeys(in: envelope)
    return .envelope(suffix, remarks: remarks)
  }

  /// What is said of keys that come twice on the way to the array: only the first was followed.
  private func repeatedKeys(in envelope: JSON) -> [String] {
    var remarks: [String] = []
    for path in paths {
      var value: JSON? = envelope
      for key in path {
        let count = value?.members?.count { $0.key == key } ?? 0
        let remark = "The key '\(key)' comes \(count) times; the first counts, the rest is kept."
        if count > 1, !remarks.contains(remark) { remarks.append(remark) }
        value = value?[key]
      }
    }
    return remarks
  }
}

// MARK: - Errors

extension JSONDocument {
  private func malformed(_ reason: String, at offset: Int64?) -> FormatError {
    let place = offset.map { " at byte \($0)" } ?? ""
    return FormatError(
      .malformed, "Can't read '\(file.name)': \(reason)\(place). Nothing was taken over.",
      file: file.name, offset: offset)
  }

  private func tooLarge() -> FormatError {
    FormatError(
      .tooLarge,
      "Can't read '\(file.name)': what stands around its entries is larger than \(Self.envelopeLimit) bytes. Nothing was taken over.",
      file: file.name)
  }

  private func tooLarge(entryAt start: Int64) -> FormatError {
    let size = scanner.offset - start
    return FormatError(
      .tooLarge,
      "Can't read entry \(count) of '\(file.name)': it has \(size) bytes; \(elementLimit) is the limit. Nothing was taken over.",
      file: file.name, entry: count, offset: start)
  }

  private func invalid(_ error: JSONError, entryAt start: Int64?) -> FormatError {
    fault(error.message, at: Int64(error.offset), entryAt: start, cause: error)
  }

  private func error(_ fault: ByteScanner.Fault, entryAt start: Int64? = nil) -> FormatError {
    let message =
      switch fault.reason {
      case .endsEarly:
        count > 0 && start == nil
          ? "It ends after entry \(count), at byte \(fault.offset); it may have been cut off."
          : "It ends early, at byte \(fault.offset); it may have been cut off."
      case .tooDeep:
        "It nests more than \(Self.depthLimit) levels deep at byte \(fault.offset)."
      }
    return self.fault(message, at: fault.offset, entryAt: start)
  }

  private func fault(
    _ reason: String, at offset: Int64, entryAt start: Int64?, cause: (any Error)? = nil
  ) -> FormatError {
    guard let start else {
      return FormatError(
        .malformed, "Can't read '\(file.name)'. \(reason) Nothing was taken over.",
        file: file.name, offset: offset, cause: cause)
    }
    let id = entryID(at: start)
    let name = id.map { "entry \(count) ('\($0)')" } ?? "entry \(count)"
    return FormatError(
      .malformed, "Can't read \(name) of '\(file.name)'. \(reason) Nothing was taken over.",
      file: file.name, entry: count, entryID: id, offset: offset, cause: cause)
  }

  /// The id of an entry that is broken somewhere, if it is near its beginning.
  private func entryID(at start: Int64) -> String? {
    // The fault that is reported matters more than one met while looking for a name.
    let head = try? file.read(start..<min(file.size, start + 65_536))
    return head.flatMap { HeadSketch($0).text(at: "/id") }
  }
}
