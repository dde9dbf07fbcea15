import Keepsake

/// What fragments of a session need to know beside the entry that they show.
struct FragmentContext: Sendable {
  let mentions: MentionIndex
  let options: PageOptions
  /// Where each artifact is shown; elsewhere a link leads there.
  var homes: [Artifact.ID: Int] = [:]
  /// How many earlier contents entries have.
  var revisions: [Int: Int] = [:]
}

/// What was shown so far.
struct FragmentState: Sendable {
  /// Artifacts that stand on the page.
  var shown: Set<Artifact.ID> = []
  /// Attachments that were shown or linked to.
  var used: Set<Int64> = []
  /// Artifacts whose bytes the store could not give, and what it said.
  var unreadable: [Artifact.ID: String] = [:]
}
