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
