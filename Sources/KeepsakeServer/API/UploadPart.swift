import KeepsakeHTTP

/// The part of an artifact that a body has, from the field `Content-Range: bytes 0-8388607/20000000`.
struct UploadPart: Equatable {
  let start: Int64
  let total: Int64

  /// Reads the field; nil where there is none.
  ///
  /// - Throws: A ``Problem`` about a field that is malformed, or does not fit the size of the body.
  init?(_ head: HTTPRequestHead) throws(Problem) {
    guard let text = head.fields["Content-Range"] else { return nil }
    guard let part = Self(text, of: head.contentLength) else {
      throw .invalid("'Content-Range' is no range that fits the body: bytes 0-8388607/20000000.")
    }
    self = part
  }

  /// Reads the text of the field.
  ///
  /// - Parameters:
  ///   - text: The value of the field.
  ///   - length: The size of the body in bytes.
  init?(_ text: String, of length: Int64) {
    let unit = "bytes "
    guard text.hasPrefix(unit) else { return nil }
    let sides = text.dropFirst(unit.count).split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2, let total = Self.number(sides[1]) else { return nil }
    let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let start = Self.number(ends[0]), let last = Self.number(ends[1]),
      start <= last, last < total, last - start + 1 == length
    else { return nil }
    self.start = start
    self.total = total
  }

  private static func number(_ text: Substring) -> Int64? {
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(text)
  }
}
