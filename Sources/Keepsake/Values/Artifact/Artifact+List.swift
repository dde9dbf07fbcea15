#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

extension Artifact {
  /// The description of an artifact in a list.
  public struct Summary: Sendable, Hashable, Codable, Identifiable {
    /// The id of the artifact.
    public let id: ID
    /// The number of bytes.
    public let size: Int64
    /// The media type that the bytes themselves show.
    public let sniffedType: MediaType
    /// The media type that the newest attachment declares.
    public let mediaType: MediaType?
    /// The size of an image in pixels, if its format is known.
    public let pixelSize: PixelSize?
    /// The time at which the store first took in the artifact.
    public let created: Date
    /// The number of attachments of the artifact.
    public let uses: Int
    /// The tool, or the step of the app, that first made the artifact; nil where none did.
    public let tool: String?
    /// The state of the newest attachment; nil without attachments, when only an artifact made from this one needs it.
    public let state: Entry.Attachment.State?
  }

  /// The place in a list at which a page ended.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Reads a cursor from the text that ``description`` gives; nil for any other text.
    public init?(_ description: String) {
      guard let number = Int64(description, radix: 36) else { return nil }
      self.number = number
    }

    /// The cursor as text, to be stored or sent.
    public var description: String { String(number, radix: 36) }
  }

  /// A page of a list of artifacts, newest first.
  public struct Page: Sendable {
    /// The artifacts of the page.
    public let artifacts: [Summary]
    /// The cursor with which to ask for the next page; nil at the end.
    public let next: Cursor?
  }
}

extension Artifact.ID {
  /// Returns the range of digests that begin with the given hexadecimal digits; nil for any other text.
  static func range(beginning digits: String) -> ClosedRange<SHA256Digest>? {
    let missing = 64 - digits.utf8.count
    guard missing >= 0,
      let low = SHA256Digest(hex: digits + String(repeating: "0", count: missing)),
      let high = SHA256Digest(hex: digits + String(repeating: "f", count: missing))
    else { return nil }
    return low...high
  }
}
