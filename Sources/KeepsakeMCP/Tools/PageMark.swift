#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The place at which a page ended, as a client gives it back: opaque to it, and without any state here.
///
/// It holds what it belongs to, so that one that is given with other conditions is refused.
struct PageMark: Sendable {
  /// The parts of the place, none of which has a line break.
  let parts: [String]

  private static let version = "1"

  init(_ parts: [String]) { self.parts = parts }

  /// Reads a mark; nil for any other text, and for a mark of a list with other conditions.
  init?(_ text: String, of list: [String?]) {
    var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    guard text.utf8.count <= 1024, let data = Data(base64Encoded: base64),
      let decoded = String(validating: data, as: UTF8.self)
    else { return nil }
    let lines = decoded.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count > 2, lines[0] == Self.version, lines[1] == Self.digest(of: list) else {
      return nil
    }
    parts = Array(lines.dropFirst(2))
  }

  /// The mark as text, in the alphabet of URLs.
  func text(of list: [String?]) -> String {
    let lines = [Self.version, Self.digest(of: list)] + parts
    return Data(lines.joined(separator: "\n").utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// The beginning of a digest of a list's conditions.
  private static func digest(of list: [String?]) -> String {
    let text = list.map { $0.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined(separator: ";")
    return String(SHA256.digest(of: Array(text.utf8)).hex.prefix(12))
  }
}
