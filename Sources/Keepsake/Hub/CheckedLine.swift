#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

/// A line of JSON at the beginning of a file that ends with its own digest, so that no altered byte makes another line.
///
/// Files of all formats have such a line, whose `format` says how to read the rest.
package struct CheckedLine {
  /// The most bytes that a line has, its end included.
  package static let limit = 1024
  private static let lead = Array(",\"check\":\"".utf8)
  private static let end = Array("\"}\n".utf8)

  /// The object that the line says.
  package let object: JSON
  /// The number of its bytes, its end included.
  package let count: Int

  /// Writes a line with some members, of which there must be one.
  package static func encoded(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(reserving: 512)
    writer.beginObject()
    members(&writer)
    let body = writer.bytes
    return body + lead + Array(SHA256.digest(of: body).hex.utf8) + end
  }

  /// Reads the line that a file begins with; nil where it was altered, or is none.
  package init?(_ bytes: [UInt8]) {
    guard let newline = bytes.prefix(Self.limit).firstIndex(of: 0x0A) else { return nil }
    let tail = Self.lead.count + 64 + Self.end.count
    guard newline + 1 > tail else { return nil }
    let body = Array(bytes[..<(newline + 1 - tail)])
    let check = Self.lead + Array(SHA256.digest(of: body).hex.utf8) + Self.end
    guard bytes[body.count...newline].elementsEqual(check),
      let object = try? JSON(validating: Array(bytes[..<newline]))
    else { return nil }
    self.object = object
    count = newline + 1
  }

  /// The id that a member says; nil where there is none.
  package func id(_ key: String) -> UUID? { object[key]?.stringValue.flatMap(UUID.init(text:)) }

  /// The number that a member says; nil where there is none.
  package func number(_ key: String) -> Int64? { object[key]?.intValue }
}
