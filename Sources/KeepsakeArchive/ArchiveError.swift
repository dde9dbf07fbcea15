/// The error of unpacking an archive or a compressed file.
package struct ArchiveError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: Sendable, Hashable {
    /// The file is cut off, or breaks the rules of its format.
    case damaged
    /// A password is needed.
    case encrypted
    /// The file unpacks to more than a limit allows.
    case tooLarge
    /// The disk has no room for the content.
    case noSpace
    /// The file is packed in a way that is not supported, or no library of this system can unpack it.
    case unsupported
  }

  /// The kind of failure.
  package let code: Code
  /// The fault and its remedy, as a clause about a subject that is named elsewhere: "it is encrypted;
  /// unpack it …".
  package let reason: String
  /// The name of the member that failed; nil where the whole archive did.
  package let member: String?

  init(_ code: Code, _ reason: String, member: String? = nil) {
    self.code = code
    self.reason = reason
    self.member = member
  }

  package var description: String { member.map { "\($0): \(reason)" } ?? reason }
}
