/// The parts of messages that not all revisions have.
///
/// This table is the only difference between the answers to clients of different revisions.
enum Feature: CaseIterable {
  /// Several messages in one array.
  case batches
  /// The hints about a tool's effects.
  case annotations
  /// Names for people beside those for programs.
  case titles
  /// JSON of a declared form in a tool's result.
  case structuredContent
  /// The declared form of that JSON.
  case outputSchema
  /// Links to resources in a tool's result.
  case resourceLinks
  /// The time at which a resource last changed.
  case lastModified
  /// A sentence beside the numbers of a progress notice.
  case progressMessage
  /// The mark that a result is complete.
  case resultType
  /// How long an answer is valid, and for whom.
  case caching
  /// The name of the server in each result.
  case serverInfo

  /// The first revision that has the part.
  var since: Revision {
    switch self {
    case .batches, .annotations, .progressMessage: .march2025
    case .titles, .structuredContent, .outputSchema, .resourceLinks, .lastModified: .june2025
    case .resultType, .caching, .serverInfo: .july2026
    }
  }

  /// The last revision that has the part.
  var until: Revision {
    switch self {
    case .batches: .march2025
    default: .july2026
    }
  }
}

extension Revision {
  /// Returns whether messages of the revision may have a part.
  func has(_ feature: Feature) -> Bool { (feature.since...feature.until).contains(self) }
}
