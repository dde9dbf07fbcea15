package import KeepsakeFiles

/// What a program calls a stream of records that it hands over one by one.
package struct StreamKey: Sendable, Hashable {
  package var project: String
  /// The program's own id of the conversation.
  package var session: String
  /// Empty for the conversation itself; else what belongs to it, such as the conversation of a sub-agent.
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

/// What an append to a stream says beside its records.
package struct StreamAppend: Sendable {
  package var key: StreamKey
  /// How often something was added to the stream when its summary was made; nil where it has none.
  package var seen: Int?
  /// The program's own summary of the stream; nil to leave it as it is.
  package var summary: String?
  /// Whether something that stands before the records never came.
  package var hasGap: Bool
  /// Whether it begins a session of its own, whatever is stored.
  package var isApart: Bool

  package init(
    to key: StreamKey, seen: Int? = nil, summary: String? = nil, hasGap: Bool = false,
    isApart: Bool = false
  ) {
    self.key = key
    self.seen = seen
    self.summary = summary
    self.hasGap = hasGap
    self.isApart = isApart
  }
}

/// Why an append to a stream was not written.
package enum StreamError: Error {
  /// Somebody else added to the stream, so that the summary is not of all of it.
  case grown
  /// The session that the records would be taken into belongs to another stream.
  case taken
}
