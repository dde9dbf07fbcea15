#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

extension Artifact {
  /// What a list shows of an artifact.
  public struct Summary: Sendable, Hashable, Codable, Identifiable {
    public let id: ID
    public let size: Int64
    /// What the bytes themselves say they are.
    public let sniffedType: MediaType
    /// As the newest attachment declares it.
    public let mediaType: MediaType?
    public let pixelSize: PixelSize?
    /// When the store first took it in.
    public let created: Date
    /// How many attachments it has.
    public let uses: Int
    /// The tool, or the step of the app, that first made it; nil where none did.
    public let tool: String?
    /// Of its newest attachment; nil where it has none any more, and only something made from it needs it.
    public let state: Entry.Attachment.State?
  }

  /// Where a page of a list ended.
  public struct Cursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    let number: Int64

    init(number: Int64) { self.number = number }

    public init?(_ description: String) {
      guard let number = Int64(description, radix: 36) else { return nil }
      self.number = number
    }

    public var description: String { String(number, radix: 36) }
  }

  /// One page of a list, newest first.
  public struct Page: Sendable {
    public let artifacts: [Summary]
    /// What to ask with for the next page; nil at the end.
    public let next: Cursor?
  }
}

extension Artifact.ID {
  /// The digests that begin with some hexadecimal digits; nil where it is something else.
  static func range(beginning digits: String) -> ClosedRange<SHA256Digest>? {
    let missing = 64 - digits.utf8.count
    guard missing >= 0,
      let low = SHA256Digest(hex: digits + String(repeating: "0", count: missing)),
      let high = SHA256Digest(hex: digits + String(repeating: "f", count: missing))
    else { return nil }
    return low...high
  }
}
