#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A record that is ready to be written but for the attachments in it, which are read when it is.
struct OutgoingRecord: Sendable {
  struct Hole: Sendable {
    /// Where in the bytes the attachment goes.
    let position: Int
    let attachment: OutgoingAttachment
    /// As base64; else its bytes as they are.
    let isBase64: Bool
  }

  var bytes: [UInt8]
  var holes: [Hole] = []

  init(bytes: [UInt8], holes: [Hole] = []) {
    self.bytes = bytes
    self.holes = holes
  }

  /// An entry that a codec kept as it came, because it did not understand it; nil for what it did not keep.
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

  /// Hands over the record, piece by piece.
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
