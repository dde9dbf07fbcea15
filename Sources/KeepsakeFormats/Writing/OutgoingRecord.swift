#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A record that is ready to be written except for the bytes of its attachments, which are read while writing.
struct OutgoingRecord: Sendable {
  /// A place in the record for the bytes of an attachment.
  struct Hole: Sendable {
    /// The index in the record's bytes at which the attachment goes.
    let position: Int
    let attachment: OutgoingAttachment
    /// Whether the bytes are written as base64; otherwise they are written as they are.
    let isBase64: Bool
  }

  var bytes: [UInt8]
  var holes: [Hole] = []

  init(bytes: [UInt8], holes: [Hole] = []) {
    self.bytes = bytes
    self.holes = holes
  }

  /// The record of an entry that the codec kept as opaque; nil for other entries.
  init?(verbatim entry: OutgoingEntry, format: String) {
    let type = "\(format).entry"
    guard entry.entry.kind == .unknown, entry.entry.segments.count == 1 else { return nil }
    if case .opaque(let json, type: type) = entry.entry.segments[0].content {
      self.init(bytes: json.bytes)
    } else if let attachment = entry.attachments[0], attachment.isPresent,
      OpaqueType.name(of: attachment.mediaType) == type
    {
      self.init(bytes: [], holes: [.init(position: 0, attachment: attachment, isBase64: false)])
    } else {
      return nil
    }
  }

  /// Passes the record to a closure, piece by piece.
  func write(_ take: ([UInt8]) throws -> Void) async throws {
    var start = 0
    for hole in holes {
      if hole.position > start { try take(Array(bytes[start..<hole.position])) }
      start = hole.position
      try await hole.attachment.read { piece in
        try take(hole.isBase64 ? [UInt8](Data(piece).base64EncodedData()) : piece)
      }
    }
    try take(start == 0 ? bytes : Array(bytes[start...]))
  }
}
