#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What ``Store/verify(_:progress:)`` looked at and what it found.
public struct VerifyReport: Sendable, Hashable, Codable {
  public var counts = Counts()
  /// What is not as it should be, in the order in which it was found; at most ``findingLimit``.
  public var findings: [Finding] = []
  /// Findings beyond the limit, which are only counted.
  public var omittedFindings = 0
  /// Where the chain of each session stands, by the sessions' ids: keep them elsewhere, and compare later.
  public var heads: [Head] = []

  /// Whether everything is as it was acknowledged and whatever is derived from it agrees.
  public var isSound: Bool {
    omittedFindings == 0 && findings.allSatisfy { $0.severity == .harmless }
  }

  /// How many findings a report holds.
  public static let findingLimit = 10_000

  public init() {}

  /// How much was looked at.
  public struct Counts: Sendable, Hashable, Codable {
    public var sessions = 0
    public var entries = 0
    public var revisions = 0
    public var toolCalls = 0
    public var attachments = 0
    public var invocations = 0
    public var imports = 0
    /// Foreign files that are kept verbatim.
    public var sources = 0
    /// Links of all chains.
    public var changes = 0
    /// Rows whose content was erased; their place in the chain is verified, their content is gone.
    public var erased = 0
    public var artifacts = 0
    /// Of artifacts that were read and hashed.
    public var bytesRead: Int64 = 0

    public init() {}
  }

  /// Where one session's chain stands: a line like `<session> <changes> <64 hexadecimal digits>`.
  public struct Head: Sendable, Hashable, Codable, LosslessStringConvertible {
    public let session: UUID
    public let changes: Int
    /// The last link's SHA-256, as hexadecimal digits.
    public let head: String

    public init(session: UUID, changes: Int, head: String) {
      self.session = session
      self.changes = changes
      self.head = head.lowercased()
    }

    /// Reads a line as `description` writes it; nil where it is anything else.
    public init?(_ description: String) {
      let parts = description.split(whereSeparator: \.isWhitespace)
      guard parts.count == 3, let session = UUID(uuidString: String(parts[0])),
        let changes = Int(parts[1]), changes >= 0, parts[2].utf8.count == 64,
        parts[2].allSatisfy(\.isHexDigit)
      else { return nil }
      self.init(session: session, changes: changes, head: String(parts[2]))
    }

    public var description: String {
      "\(session.uuidString.lowercased()) \(changes) \(head)"
    }
  }
}
