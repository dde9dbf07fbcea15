import KeepsakeFiles
import Keepsake

/// Cuts a JSON document into the elements of one of its arrays, and the text around them.
///
/// It needs memory for a window and one element, whatever the size of the file. All pieces together are the file.
/// Each element is validated when it is returned, and the text around the elements with the last piece.
struct JSONDocument {
  /// A piece of the document.
  enum Piece {
    /// The text before the elements, or after them.
    case envelope([UInt8], remarks: [String])
    case element(Element)
  }

  /// An element of the array, with the separators before it.
  struct Element {
    let bytes: [UInt8]
    /// The range of the element's value in the bytes.
    let value: Range<Int>
    /// The number of the element, counted from 1.
    let number: Int
  }

  /// The limit of the text around the elements, in bytes, which is held in memory.
  static let envelopeLimit: Int64 = 16 << 20
  static let depthLimit = JSON.depthLimit
  /// The limit of an element, in bytes, which is held in memory together with its entries.
  static let elementLimit: Int64 = 1 << 30

  private enum State { case beginning, elements, end }

  /// The places where the array may stand, each as the keys that lead to it; no keys for the document itself.
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

  /// The next piece; nil after the last.
  /// - Throws: ``FormatError``, where the document is damaged or exceeds a limit.
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
  /// The document with its array empty; nil where the document is damaged, which reading it then reports.
  ///
  /// The elements are passed over without being validated.
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
      // No element begins with a closing brace.
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
    // Each open object has the paths that lead through it, and the keys that were read in it.
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
        // Of a repeated key the first is taken, as Foundation's decoder does.
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

  /// Passes over UTF-8's byte order mark, which some editors write and which is kept. UTF-16 is refused.
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
    // A longer key leads to no array that is looked for.
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
    // After a loss of power, a file system may leave zero bytes at the end of a file.
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

  /// Remarks on repeated keys on the way to the array, of which only the first was followed.
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

  /// The id of a damaged entry, where it stands near the entry's beginning.
  private func entryID(at start: Int64) -> String? {
    // A failure to read the id must not hide the fault that is being reported.
    let head = try? file.read(start..<min(file.size, start + 65_536))
    return head.flatMap { HeadSketch($0).text(at: "/id") }
  }
}
