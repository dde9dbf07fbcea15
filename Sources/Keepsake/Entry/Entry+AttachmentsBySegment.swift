extension Entry {
  /// The attachments that segments stand for, by the index of the segment.
  ///
  /// Of several at one segment it is the first that belongs to all of it, else the first; one that says of itself where
  /// it stands comes before one that is only meant by its number. Costs a look at each segment and each attachment: ask
  /// once for all segments, where ``attachment(ofSegment:)`` costs as much for one.
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

  /// The attachment that a segment stands for; nil for a segment of another kind.
  ///
  /// It looks at all attachments: for each segment of an entry, ask for ``attachmentsBySegment`` once.
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

  /// By the segment: which of the attachments says that it stands there.
  private func placesOfAttachments() -> [Int: Int] {
    var standing: [Int: Int] = [:]
    standing.reserveCapacity(attachments.count)
    for (place, attachment) in attachments.enumerated() {
      guard let segment = attachment.segment, attachment.direction != .content else { continue }
      if let known = standing[segment] {
        // The first that belongs to all of the segment stays, and so does the first of all others.
        if attachments[known].place == nil || attachment.place != nil { continue }
      }
      standing[segment] = place
    }
    return standing
  }

  /// The attachment of a number, where it says nothing of a segment itself.
  private func unplaced(_ number: Int) -> Int? {
    attachments.indices.contains(number) && attachments[number].segment == nil ? number : nil
  }
}
