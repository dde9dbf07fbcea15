extension VerifyReport {
  /// Something that is not as it should be, and what to do about it.
  public struct Finding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
      /// Nothing is lost or wrong, but the finding is worth knowing.
      case harmless
      /// Derived data, such as an index or a counter, disagrees with its source, which is whole.
      case derived
      /// Acknowledged data is lost or altered.
      case damaged
    }

    public let severity: Severity
    /// The object of the finding: the database, a session, an entry, an attachment, an artifact or a file.
    public let object: String
    public let what: String
    /// The remedy in words.
    public let remedy: String
    /// The remedy as a value, if a program can offer it to people. It is not encoded.
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
