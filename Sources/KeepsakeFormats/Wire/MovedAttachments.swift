import Keepsake

/// Gathers images that a message can't hold, because a model or a tool made them, for a following prompt.
struct MovedAttachments {
  private var waiting: [OutgoingAttachment] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// Keeps an attachment for the next prompt.
  /// - Returns: The text that stands in place of the attachment.
  mutating func add(_ attachment: OutgoingAttachment, _ losses: inout Losses) -> String {
    losses.add(.moved)
    waiting.append(attachment)
    return attachment.placeholder
  }

  /// Removes and returns the waiting attachments.
  mutating func take() -> [OutgoingAttachment] {
    defer { waiting = [] }
    return waiting
  }
}
