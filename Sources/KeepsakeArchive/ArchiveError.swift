/// Why an archive or a compressed file could not be unpacked.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// It is cut off, or not what its format says it should be.
    case damaged
    /// A password is needed.
    case encrypted
    /// It unpacks to more than a limit allows.
    case tooLarge
    /// The disk has no room for what is in it.
    case noSpace
    /// It is made in a way that is not read here, or nothing on this system reads it.
    case unsupported
  }

  public let code: Code
  /// What is wrong and how to remedy it, of a subject that is named elsewhere: "it is encrypted; unpack it …".
  public let reason: String
  /// The member that it is about; nil where it is the whole archive.
  public let member: String?

  init(_ code: Code, _ reason: String, member: String? = nil) {
    self.code = code
    self.reason = reason
    self.member = member
  }

  public var description: String { member.map { "\($0): \(reason)" } ?? reason }
}
