extension Entry {
  /// The attachments that segments stand for, by the index of the segment.
  ///
  /// If several attachments name the same segment, the first that belongs to the whole segment counts, or else the first. An
  /// attachment that names a segment counts before an attachment that the segment only refers to by number. The cost is one
  /// look at each segment and each attachment, so for all segments read this once: ``attachment(ofSegment:)`` costs about as
  /// much for a single one.
  public var attachmentsBySegment: [Int: Attachment] {
    if attachments.isEmpty { return [:] }
    let standing = placesOfAttachments()
    var found: [Int: Attachment] = [:]
    for (index, segment) in segments.enumerated() {
      guard case .attachment(let number) = segment.content else { continue }
      found[index] = (standing[index] ?? unplaced(number)).map { attachments[$0] }
    }
    return found
  }

  /// Returns the attachment that a segment stands for; nil for a segment of another kind.
  ///
  /// This looks at all attachments. For all segments of an entry, read ``attachmentsBySegment`` once.
  public func attachment(ofSegment index: Int) -> Attachment? {
    guard segments.indices.contains(index), case .attachment(let number) = segments[index].content
    else { return nil }
    var standing: Int?
    for (place, attachment) in attachments.enumerated()
    where attachment.segment == index && attachment.direction != .content {
      if attachment.place == nil { return attachment }
      standing = standing ?? place
    }
    return (standing ?? unplaced(number)).map { attachments[$0] }
  }

  /// Returns, by segment, the index of the attachment that names the segment.
  private func placesOfAttachments() -> [Int: Int] {
    var standing: [Int: Int] = [:]
    standing.reserveCapacity(attachments.count)
    for (place, attachment) in attachments.enumerated() {
      guard let segment = attachment.segment, attachment.direction != .content else { continue }
      if let known = standing[segment] {
        // The first attachment to the whole segment stays, and without one the first attachment stays.
        if attachments[known].place == nil || attachment.place != nil { continue }
      }
      standing[segment] = place
    }
    return standing
  }

  /// Returns the index of the attachment with a number, if that attachment names no segment itself.
  private func unplaced(_ number: Int) -> Int? {
    attachments.indices.contains(number) && attachments[number].segment == nil ? number : nil
  }
}
