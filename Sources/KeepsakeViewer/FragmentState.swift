import Keepsake

/// The artifacts that were shown so far, on the page and by the fragment that is being written.
///
/// The writer of a page hands a single state from fragment to fragment. Copying the state for each fragment would cost as
/// much as the whole page has shown; taking a fragment back costs only what that fragment has shown.
struct FragmentState: Sendable {
  /// The artifacts that are shown, with the ids of the elements that show them.
  private(set) var shown: [Artifact.ID: String] = [:]
  /// The attachments that were shown or linked to, by their recording numbers.
  private(set) var used: Set<Int64> = []
  /// The artifacts whose bytes the store could not give, with the store's message.
  var unreadable: [Artifact.ID: String] = [:]
  /// The artifacts that the current fragment added.
  private var added: (shown: [Artifact.ID], used: [Int64]) = ([], [])

  /// Notes that an artifact is shown by the element with an id; false where it is shown already.
  mutating func show(_ artifact: Artifact.ID, as anchor: String) -> Bool {
    guard shown[artifact] == nil else { return false }
    shown[artifact] = anchor
    added.shown.append(artifact)
    return true
  }

  /// Notes that an attachment is shown or linked to.
  mutating func use(_ attachment: Entry.Attachment) {
    guard used.insert(attachment.recording).inserted else { return }
    added.used.append(attachment.recording)
  }

  /// Notes that the current fragment is on the page.
  mutating func keep() { added = ([], []) }

  /// Forgets what the current fragment has shown, because it is written anew.
  mutating func takeBack() {
    for artifact in added.shown { shown[artifact] = nil }
    for attachment in added.used { used.remove(attachment) }
    keep()
  }
}
