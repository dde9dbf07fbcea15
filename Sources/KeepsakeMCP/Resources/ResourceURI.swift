#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The address of a session or an artifact: `keepsake://session/ID` or `keepsake://artifact/HEX`.
///
/// It is read strictly: one spelling of the scheme and the kind, no user, port, dots or percent signs, no unknown query. What
/// tells things apart stands in the path, because libraries for URLs write the part before it in lower case.
enum ResourceURI: Sendable, Hashable {
  /// A session, with the stretch of it that is asked for.
  case session(UUID, Stretch)
  case artifact(Artifact.ID)

  /// A stretch of a session; without a start, its newest entries.
  struct Stretch: Sendable, Hashable {
    var start: Int?
    var count: Int?
    var offset: Int?
  }

  private static let sessions = "keepsake://session/"
  private static let artifacts = "keepsake://artifact/"

  /// Reads an address; nil for any other text.
  init?(_ text: String) {
    if text.hasPrefix(Self.artifacts) {
      guard let id = Artifact.ID(String(text.dropFirst(Self.artifacts.count))) else { return nil }
      self = .artifact(id)
      return
    }
    guard text.hasPrefix(Self.sessions) else { return nil }
    let parts = text.dropFirst(Self.sessions.count)
      .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0].utf8.count == 36, let id = UUID(uuidString: String(parts[0])) else { return nil }
    var stretch = Stretch()
    if parts.count == 2 {
      for item in parts[1].split(separator: "&", omittingEmptySubsequences: false) {
        guard Self.read(item, into: &stretch) else { return nil }
      }
    }
    self = .session(id, stretch)
  }

  private static func read(_ item: Substring, into stretch: inout Stretch) -> Bool {
    let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard pair.count == 2, pair[1].utf8.count <= 9, !pair[1].isEmpty,
      pair[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(pair[1])
    else { return false }
    switch pair[0] {
    case "start" where stretch.start == nil: stretch.start = number
    case "count" where stretch.count == nil && (1...200).contains(number): stretch.count = number
    case "offset" where stretch.offset == nil: stretch.offset = number
    default: return false
    }
    return true
  }

  var text: String {
    switch self {
    case .artifact(let id): return Self.artifacts + id.hex
    case .session(let id, let stretch):
      let query = [("start", stretch.start), ("count", stretch.count), ("offset", stretch.offset)]
        .compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
      return Self.sessions + id.text + (query.isEmpty ? "" : "?\(query)")
    }
  }
}
