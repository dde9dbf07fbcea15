extension VerifyReport {
  /// Something that is not as it should be, and what to do about it.
  public struct Finding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// How bad a finding is.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
      /// Worth knowing; nothing is lost or wrong.
      case harmless
      /// Something that is derived disagrees with what it is derived from, which is whole.
      case derived
      /// Something that was acknowledged is lost, or is not what was acknowledged.
      case damaged
    }

    public let severity: Severity
    /// What it is about: the database, a session, an entry, an attachment, an artifact, a file.
    public let object: String
    public let what: String
    public let remedy: String

    public init(severity: Severity, object: String, what: String, remedy: String) {
      self.severity = severity
      self.object = object
      self.what = what
      self.remedy = remedy
    }

    public var description: String { "\(severity.rawValue): \(object): \(what) \(remedy)" }
  }

  mutating func add(_ finding: Finding) {
    if findings.count < Self.findingLimit {
      findings.append(finding)
    } else {
      omittedFindings += 1
    }
  }

  mutating func damaged(
    _ object: String, _ what: String,
    remedy: String = "Keep the store as it is, and restore a backup whose heads you trust."
  ) {
    add(Finding(severity: .damaged, object: object, what: what, remedy: remedy))
  }

  mutating func derived(
    _ object: String, _ what: String,
    remedy: String = "What it is derived from is checked by itself: restore a backup, or go on."
  ) {
    add(Finding(severity: .derived, object: object, what: what, remedy: remedy))
  }

  mutating func harmless(_ object: String, _ what: String, remedy: String) {
    add(Finding(severity: .harmless, object: object, what: what, remedy: remedy))
  }
}
