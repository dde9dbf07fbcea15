import Keepsake
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

extension SourceEntry {
  /// The entry as it is written again without a store in between.
  func outgoing() throws -> OutgoingEntry {
    var outgoing = OutgoingEntry(entry, attachments: [:])
    for (index, segment) in entry.segments.enumerated() {
      guard case .attachment(let ordinal) = segment.content else { continue }
      let attachment = attachments[ordinal]
      outgoing.attachments[index] = OutgoingAttachment(
        try attachment.content(), mediaType: attachment.mediaType, label: attachment.label,
        reference: attachment.reference)
    }
    return outgoing
  }
}

extension Entry.NewAttachment {
  /// Its bytes.
  func bytes() throws -> [UInt8] {
    guard case .bytes(let bytes) = try content() else { return [] }
    return bytes
  }

  func content() throws -> OutgoingAttachment.Content {
    switch source?.origin {
    case .bytes(let bytes): return .bytes(bytes)
    case .spelled(let text, let spelling):
      var bytes: [UInt8] = []
      try #require(spelling.decode(text) { bytes += $0 })
      return .bytes(bytes)
    default: return .absent
    }
  }
}
