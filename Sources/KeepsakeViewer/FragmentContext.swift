package import Keepsake

/// The facts about a session that its fragments need besides the entry that they show.
package struct FragmentContext: Sendable {
  let mentions: MentionIndex
  let place: FragmentPlace
  /// The position at which each artifact is shown. Elsewhere a link leads there.
  var homes: [Artifact.ID: Int] = [:]
  /// The number of earlier contents of entries, by position.
  var revisions: [Int: Int] = [:]

  init(
    mentions: MentionIndex, place: FragmentPlace, homes: [Artifact.ID: Int] = [:],
    revisions: [Int: Int] = [:]
  ) {
    self.mentions = mentions
    self.place = place
    self.homes = homes
    self.revisions = revisions
  }

  /// Creates the context of entries that are drawn without their session.
  /// - Parameters:
  ///   - mentions: The session's attachments, for images that a text names.
  ///   - place: Where the entries are shown.
  package init(mentions: MentionIndex, place: FragmentPlace) {
    self.init(mentions: mentions, place: place, homes: [:])
  }
}
