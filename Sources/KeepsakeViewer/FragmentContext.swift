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

/// What was shown so far: on the page, and by the fragment that is being written.
///
/// There is one of it, which goes from fragment to fragment. A copy for each of them would cost what the whole page has
/// shown; to take a fragment back costs what it has shown itself.
struct FragmentState: Sendable {
  /// Artifacts that stand on the page.
  private(set) var shown: Set<Artifact.ID> = []
  /// Attachments that were shown or linked to.
  private(set) var used: Set<Int64> = []
  /// Artifacts whose bytes the store could not give, and what it said.
  var unreadable: [Artifact.ID: String] = [:]
  /// What the fragment added.
  private var added: (shown: [Artifact.ID], used: [Int64]) = ([], [])

  /// Notes that an artifact stands on the page; false where it does already.
  mutating func show(_ artifact: Artifact.ID) -> Bool {
    guard shown.insert(artifact).inserted else { return false }
    added.shown.append(artifact)
    return true
  }

  /// Notes that an attachment was shown or linked to.
  mutating func use(_ attachment: Entry.Attachment) {
    guard used.insert(attachment.recording).inserted else { return }
    added.used.append(attachment.recording)
  }

  /// The fragment is on the page.
  mutating func keep() { added = ([], []) }

  /// The fragment is written anew: nothing of it was shown.
  mutating func takeBack() {
    for artifact in added.shown { shown.remove(artifact) }
    for attachment in added.used { used.remove(attachment) }
    keep()
  }
}
