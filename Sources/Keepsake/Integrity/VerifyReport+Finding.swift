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
    /// What to do about it, in words.
    public let remedy: String
    /// What the remedy comes to, where a program may offer to do it; not a part of what is encoded.
    public let action: KeepsakeError.Remedy?

    private enum CodingKeys: CodingKey { case severity, object, what, remedy }

    public init(severity: Severity, object: String, what: String, remedy: String) {
      self.severity = severity
      self.object = object
      self.what = what
      self.remedy = remedy
      action = nil
    }

    init(severity: Severity, object: String, what: String, action: KeepsakeError.Remedy) {
      self.severity = severity
      self.object = object
      self.what = what
      remedy = action.description
      self.action = action
    }

    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        severity: try values.decode(Severity.self, forKey: .severity),
        object: try values.decode(String.self, forKey: .object),
        what: try values.decode(String.self, forKey: .what),
        remedy: try values.decode(String.self, forKey: .remedy))
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

  mutating func damaged(_ object: String, _ what: String, action: KeepsakeError.Remedy) {
    add(Finding(severity: .damaged, object: object, what: what, action: action))
  }

  mutating func derived(_ object: String, _ what: String, action: KeepsakeError.Remedy) {
    add(Finding(severity: .derived, object: object, what: what, action: action))
  }

  mutating func harmless(_ object: String, _ what: String, action: KeepsakeError.Remedy) {
    add(Finding(severity: .harmless, object: object, what: what, action: action))
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
