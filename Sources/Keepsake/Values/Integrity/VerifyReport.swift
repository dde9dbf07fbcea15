#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The result of ``Store/verify(_:progress:)``: the findings, and counts of what was checked.
public struct VerifyReport: Sendable, Hashable, Codable {
  public var counts = Counts()
  /// The findings in their order; ``findingLimit`` at most.
  public var findings: [Finding] = []
  /// The number of findings beyond the limit.
  public var omittedFindings = 0
  /// The head of each session's chain, in the order of the sessions' ids.
  ///
  /// Keep these outside of the store, and give them to a later check (``VerifyOptions/heads``).
  public var heads: [Head] = []

  /// Tells whether all acknowledged data is unaltered, and all derived data agrees with it.
  public var isSound: Bool {
    omittedFindings == 0 && findings.allSatisfy { $0.severity == .harmless }
  }

  /// The greatest number of findings in a report.
  public static let findingLimit = 10_000

  public init() {}

  /// Counts of what was checked.
  public struct Counts: Sendable, Hashable, Codable {
    public var sessions = 0
    public var entries = 0
    public var revisions = 0
    public var toolCalls = 0
    public var attachments = 0
    public var invocations = 0
    public var imports = 0
    /// The number of foreign files that are kept verbatim.
    public var sources = 0
    /// The number of links of all chains.
    public var changes = 0
    /// The number of rows whose content was erased, and whose place in the chain was checked.
    public var erased = 0
    public var artifacts = 0
    /// The number of bytes of artifacts that were read and hashed.
    public var bytesRead: Int64 = 0

    public init() {}
  }

  /// The head of a session's chain, which is written as `<session> <changes> <64 hexadecimal digits>`.
  public struct Head: Sendable, Hashable, Codable, LosslessStringConvertible {
    public let session: UUID
    public let changes: Int
    /// The SHA-256 of the last link, as hexadecimal digits.
    public let head: String

    public init(session: UUID, changes: Int, head: String) {
      self.session = session
      self.changes = changes
      self.head = head.lowercased()
    }

    /// Reads a line as `description` writes it; nil for any other text.
    public init?(_ description: String) {
      let parts = description.split(whereSeparator: \.isWhitespace)
      guard parts.count == 3, let session = UUID(uuidString: String(parts[0])),
        let changes = Int(parts[1]), changes >= 0, parts[2].utf8.count == 64,
        parts[2].allSatisfy(\.isHexDigit)
      else { return nil }
      self.init(session: session, changes: changes, head: String(parts[2]))
    }

    public var description: String {
      "\(session.text) \(changes) \(head)"
    }
  }
}
