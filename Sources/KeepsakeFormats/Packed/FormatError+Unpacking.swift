import KeepsakeArchive
import KeepsakeFiles

extension FormatError {
  /// Runs a closure that unpacks a file, and converts its failures.
  static func unpacking<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as ArchiveError {
      throw FormatError(error, name)
    } catch let error as FileError {
      guard error.code == .noSpace else { throw reading(error) }
      throw noSpace(name, error)
    }
  }

  private init(_ error: ArchiveError, _ name: String) {
    if error.code == .noSpace {
      self = Self.noSpace(name, error)
      return
    }
    let code: Code =
      switch error.code {
      case .damaged: .malformed
      case .tooLarge: .tooLarge
      case .encrypted, .unsupported, .noSpace: .unsupported
      }
    let subject = error.member.map { "\(name)/\($0)" } ?? name
    self.init(
      code, "Can't import '\(subject)': \(error.reason).", file: name, cause: error)
  }

  private static func noSpace(_ name: String, _ cause: any Error) -> FormatError {
    FormatError(
      .unwritable,
      "Can't unpack '\(name)': the disk with the temporary files has no room for what is in it. Free some space, or have TMPDIR name a folder that has more.",
      file: name, cause: cause)
  }
}
