import Keepsake

/// Reads a file that is one JSON value into memory.
enum WholeValue {
  /// - Returns: The bytes of the file, and the range of the value. Only blanks, a byte order mark and zero bytes may
  ///   be around it.
  /// - Throws: ``FormatError``, where the file is too large, or no valid JSON.
  static func read(_ file: ForeignFile) throws -> (bytes: [UInt8], value: Range<Int>) {
    let limit = JSONDocument.elementLimit
    guard file.size <= limit else {
      throw FormatError(
        .tooLarge,
        "Can't read '\(file.name)': it is one value of \(file.size) bytes; \(limit) is the limit. Nothing was taken over.",
        file: file.name)
    }
    let bytes = try file.read(0..<file.size)
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var end = bytes.count
    while end > start, LineScanner.isBlank(bytes[end - 1]) { end -= 1 }
    var reader = JSONReader(bytes.span.bytes.extracting(start..<end))
    do {
      let value = try reader.skipValue()
      try reader.end()
      return (bytes, (start + value.lowerBound)..<(start + value.upperBound))
    } catch {
      let moved = error.moved(by: start)
      throw FormatError(
        .malformed, "Can't read '\(file.name)'. \(moved.message) Nothing was taken over.",
        file: file.name, offset: Int64(moved.offset), cause: moved)
    }
  }
}
