/// The part of a content that a request asks for, by RFC 9110.
///
/// One range is understood. A request for several is answered with the whole, as the rules allow.
package enum HTTPRange: Sendable, Hashable {
  /// The whole content: no range is asked for, or none that is understood, or it is for another version.
  case whole
  /// A part of the content, which is not empty.
  case part(Range<Int64>)
  /// The range begins behind the content's end (416).
  case unsatisfiable

  /// Reads the fields `Range` and `If-Range` of a request.
  /// - Parameters:
  ///   - fields: The fields of the request.
  ///   - size: The size of the content in bytes.
  ///   - tag: The tag of the content; nil where it has none, so that every `If-Range` fails.
  package init(_ fields: HTTPFields, size: Int64, tag: HTTPTag?) {
    self = .whole
    guard let text = fields["Range"] else { return }
    if let condition = fields["If-Range"] {
      // A date is never the one of a content: the server says no `Last-Modified`.
      guard condition != "*", let tag, tag.isStronglyIn(condition) else { return }
    }
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")),
      HTTPFields.isSame(text[..<equals], "bytes")
    else { return }
    let ends = HTTPFields.trimmed(text[text.utf8.index(after: equals)...])
      .split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    guard let first = Self.number(ends[0]) else {
      // The last so many bytes.
      guard ends[0].isEmpty, let count = Self.number(ends[1]) else { return }
      self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
      return
    }
    guard let last = ends[1].isEmpty ? .max : Self.number(ends[1]), first <= last else { return }
    self = first >= size ? .unsatisfiable : .part(first..<(last >= size ? size : last + 1))
  }

  /// A number of digits alone. One that is too large is the largest, which is behind every content's end.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return text.utf8.reduce(Int64(0)) { sum, digit in
      let (product, isTooLarge) = sum.multipliedReportingOverflow(by: 10)
      let (next, isTooLargeNow) = product.addingReportingOverflow(Int64(digit - 0x30))
      return isTooLarge || isTooLargeNow ? .max : next
    }
  }
}
