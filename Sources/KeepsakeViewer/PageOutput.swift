#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Outputs a page piece by piece, and fills its slots with bytes.
struct PageOutput {
  /// The size of a piece, which is divisible by three, so that the pieces' base64 can be joined.
  private static let piece = 3 << 16
  private static let bufferLimit = 1 << 16

  private let take: @Sendable ([UInt8]) throws -> Void
  private var buffer: [UInt8] = []

  init(take: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.take = take
  }

  mutating func write(_ html: HTML) async throws {
    try Task.checkCancellation()
    var start = 0
    for slot in html.slots {
      buffer += html.bytes[start..<slot.offset]
      start = slot.offset
      try flush()
      for try await piece in slot.artifact.chunks(of: Self.piece) {
        try take([UInt8](Data(piece).base64EncodedData()))
      }
    }
    buffer += html.bytes[start...]
    if buffer.count >= Self.bufferLimit { try flush() }
  }

  mutating func flush() throws {
    if buffer.isEmpty { return }
    try take(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
