/// The revisions of the Model Context Protocol that are served, by their dates.
package enum Revision: String, Sendable, CaseIterable {
  case november2024 = "2024-11-05"
  case march2025 = "2025-03-26"
  case june2025 = "2025-06-18"
  case november2025 = "2025-11-25"
  case july2026 = "2026-07-28"

  /// Whether each request says its version and capabilities itself; older revisions begin with a handshake.
  var isModern: Bool { self >= .july2026 }

  /// All revisions, newest first, as answers list them.
  static let offered = allCases.reversed().map(\.rawValue)
  /// The revisions without a handshake, newest first.
  static let modern = allCases.reversed().filter(\.isModern).map(\.rawValue)
  /// The newest revision with a handshake.
  static let newestLegacy = Revision.november2025
  /// The revision of an HTTP request that names none.
  static let unnamed = Revision.march2025

  /// The revision with a handshake that a client asks for; the newest one in place of any other text.
  static func negotiated(_ wanted: String?) -> Revision {
    guard let known = wanted.flatMap(Revision.init(rawValue:)), !known.isModern else {
      return newestLegacy
    }
    return known
  }

  /// The revisions to name to a client that asked for one that is not served.
  ///
  /// A client that asked for a revision with a handshake, in the manner of those without one, is told only of the latter:
  /// otherwise it might ask the same again.
  static func alternatives(to wanted: String) -> [String] {
    Revision(rawValue: wanted) == nil ? offered : modern
  }
}

extension Revision: Comparable {
  package static func < (left: Revision, right: Revision) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }
}
