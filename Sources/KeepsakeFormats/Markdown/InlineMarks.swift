#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Puts short marks for data URLs into a text, and replaces them while writing, so that the bytes are never in
/// memory.
struct InlineMarks: Sendable {
  /// The random beginning of each mark, which no earlier text can contain.
  private let secret = UUID().text
  private let attachments: [Int64: Entry.Attachment]

  init(_ attachments: [Entry.Attachment]) {
    self.attachments = Dictionary(
      attachments.map { ($0.recording, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func mark(of attachment: Entry.Attachment) -> String { "\(secret)-\(attachment.recording)-" }

  /// Writes a text, with artifacts' data URLs in place of their marks.
  /// - Parameters:
  ///   - text: The text.
  ///   - put: Takes the next piece of text.
  ///   - take: Takes the next bytes.
  func write(
    _ text: String, putting put: (String) throws -> Void, bytes take: ([UInt8]) throws -> Void
  ) async throws {
    let parts = text.split(separator: secret + "-", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      guard index > 0 else {
        try put(String(part))
        continue
      }
      let number = part.prefix { $0 != "-" }
      guard let attachment = Int64(number).flatMap({ attachments[$0] }),
        let artifact = attachment.artifact
      else { preconditionFailure("A mark in a text is none that was put there.") }
      try await Self.write(attachment, artifact, take)
      try put(String(part[number.endIndex...].dropFirst()))
    }
  }

  /// Writes a data URL, piece by piece.
  /// - Parameters:
  ///   - attachment: The attachment that declares the media type.
  ///   - artifact: The artifact with the bytes.
  ///   - take: Takes the next bytes.
  static func write(
    _ attachment: Entry.Attachment, _ artifact: Artifact, _ take: ([UInt8]) throws -> Void
  ) async throws {
    let type = attachment.mediaType.flatMap { isPlain($0) ? $0 : nil } ?? artifact.sniffedType
    try take(Array("data:\(type.essence);base64,".utf8))
    for try await piece in artifact.chunks(of: 3 << 18) {
      try take([UInt8](Data(piece).base64EncodedData()))
    }
  }

  /// Returns whether a declared type holds only characters that can stand in a URL inside of Markdown.
  private static func isPlain(_ type: MediaType) -> Bool {
    type.essence.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && !"()<>[]\"\\`".utf8.contains(byte)
    }
  }
}
