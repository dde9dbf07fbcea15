package import Keepsake

/// An entry that is to be written, and what stands at its attachment segments.
package struct OutgoingEntry: Sendable {
  package var entry: Entry
  /// By the index of their segment.
  package var attachments: [Int: OutgoingAttachment]
  /// Those that hang on the entry and stand at none of its segments, in the order of recording.
  package var loose: [OutgoingAttachment]
  /// Whether it was chosen for a model already, so that how it ended does not leave it out.
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

  /// An entry of a resumption. What a model is given is at its segments: nobody counted what hangs beside them.
  package init(resumed entry: Entry) {
    self.init(entry)
    for index in loose.indices { loose[index].content = .absent }
    isChosen = true
  }

  /// A stored entry, with what stands for each attachment.
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

  /// The same, with words in the place of attachments.
  var withoutBytes: OutgoingEntry {
    var entry = self
    for index in entry.attachments.keys { entry.attachments[index]?.content = .absent }
    for index in entry.loose.indices { entry.loose[index].content = .absent }
    return entry
  }

  /// Why a model session would not be given this entry; nil for one that it is given.
  var omission: Losses.Kind? {
    // One that was chosen has words in the place of what was erased.
    if entry.isErased, !isChosen || entry.segments.isEmpty { return .erased }
    if entry.kind == .event { return .events }
    if entry.visibility == .person { return .personOnly }
    return entry.status == .complete || isChosen ? nil : .unfinished
  }
}
