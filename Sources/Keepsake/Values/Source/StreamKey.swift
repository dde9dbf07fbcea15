package import KeepsakeFiles

/// The name that a program gives to a stream of records that it hands over one by one.
package struct StreamKey: Sendable, Hashable {
  package var project: String
  /// The program's own id of the conversation.
  package var session: String
  /// The name of what belongs to the conversation, such as a sub-agent's; empty for the conversation itself.
  package var part: String

  package init(project: String, session: String, part: String = "") {
    self.project = project
    self.session = session
    self.part = part
  }

  /// The place at which the stream is remembered like a file. No path has this digest.
  package var place: SHA256Digest {
    var canonical = Canonical("keepsake.stream.1")
    canonical.add(project)
    canonical.add(session)
    canonical.add(part)
    return canonical.digest
  }
}
