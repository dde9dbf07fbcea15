package import Keepsake

/// An entry that is to be written, and what stands at its attachment segments.
package struct OutgoingEntry: Sendable {
  package var entry: Entry
  /// By the index of their segment.
  package var attachments: [Int: OutgoingAttachment]
  /// How many hang on the entry and stand at none of its segments.
  package var loose: Int

  package init(_ entry: Entry, attachments: [Int: OutgoingAttachment] = [:], loose: Int = 0) {
    self.entry = entry
    self.attachments = attachments
    self.loose = loose
  }

  /// A stored entry, with the bytes that the store has.
  package init(_ entry: Entry) {
    self.init(entry) { $0.artifact.map(OutgoingAttachment.Content.artifact) ?? .absent }
  }

  /// A stored entry, with what stands for each attachment.
  init(_ entry: Entry, content: (Entry.Attachment) throws -> OutgoingAttachment.Content) rethrows {
    self.entry = entry
    attachments = [:]
    var used: Set<Int64> = []
    for (index, segment) in entry.segments.enumerated() {
      guard case .attachment(let ordinal) = segment.content,
        let attachment = entry.attachment(at: index, ordinal: ordinal)
      else { continue }
      used.insert(attachment.recording)
      attachments[index] = OutgoingAttachment(attachment, try content(attachment))
    }
    loose = entry.attachments.count { $0.direction != .content && !used.contains($0.recording) }
  }
}

extension Entry {
  /// The attachment that stands at a segment.
  fileprivate func attachment(at segment: Int, ordinal: Int) -> Attachment? {
    let here = attachments.filter { $0.segment == segment && $0.direction != .content }
    if let found = here.first(where: { $0.place == nil }) ?? here.first { return found }
    return attachments.indices.contains(ordinal) && attachments[ordinal].segment == nil
      ? attachments[ordinal] : nil
  }

  /// Why a model session would not be given this entry; nil for one that it is given.
  var omission: Losses.Kind? {
    if isErased { return .erased }
    if kind == .event { return .events }
    if visibility == .person { return .personOnly }
    return status == .complete ? nil : .unfinished
  }
}
