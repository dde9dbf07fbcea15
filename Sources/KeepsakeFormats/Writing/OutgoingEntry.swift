package import Keepsake

/// An entry that is to be written, with the attachments of its segments.
package struct OutgoingEntry: Sendable {
  package var entry: Entry
  /// The attachments by the index of their segment.
  package var attachments: [Int: OutgoingAttachment]
  /// The entry's attachments that stand in none of its segments, in the order of recording.
  package var loose: [OutgoingAttachment]
  /// Whether a resumption chose the entry for a model, so that its status does not leave it out.
  private var isChosen = false

  package init(
    _ entry: Entry, attachments: [Int: OutgoingAttachment] = [:], loose: [OutgoingAttachment] = []
  ) {
    self.entry = entry
    self.attachments = attachments
    self.loose = loose
  }

  /// A stored entry, with the bytes that the store has.
  package init(_ entry: Entry) {
    self.init(entry) { $0.artifact.map(OutgoingAttachment.Content.artifact) ?? .absent }
  }

  /// An entry of a resumption. Attachments without a segment get no bytes, because the budget did not count them.
  package init(resumed entry: Entry) {
    self.init(entry)
    for index in loose.indices { loose[index].content = .absent }
    isChosen = true
  }

  /// A stored entry, with the given content for each attachment.
  init(_ entry: Entry, content: (Entry.Attachment) throws -> OutgoingAttachment.Content) rethrows {
    self.entry = entry
    attachments = [:]
    loose = []
    var used: Set<Int64> = []
    for (index, attachment) in entry.attachmentsBySegment {
      used.insert(attachment.recording)
      attachments[index] = OutgoingAttachment(attachment, try content(attachment))
    }
    for attachment in entry.attachments
    where attachment.direction != .content && !used.contains(attachment.recording) {
      loose.append(OutgoingAttachment(attachment, try content(attachment)))
    }
  }

  /// The entry with placeholders for all attachments.
  var withoutBytes: OutgoingEntry {
    var entry = self
    for index in entry.attachments.keys { entry.attachments[index]?.content = .absent }
    for index in entry.loose.indices { entry.loose[index].content = .absent }
    return entry
  }

  /// The reason why a model is not given the entry; nil where it is.
  var omission: Losses.Kind? {
    // The text of an entry that a resumption chose says already what was erased.
    if entry.isErased, !isChosen || entry.segments.isEmpty { return .erased }
    if entry.kind == .event { return .events }
    if entry.visibility == .person { return .personOnly }
    return entry.status == .complete || isChosen ? nil : .unfinished
  }
}
