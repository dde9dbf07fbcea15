#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

extension FormatError {
  /// What the system said of a file that was to be read.
  static func reading(_ error: FileError) -> FormatError {
    FormatError(
      error.code == .notFound ? .notFound : .unreadable, error.message, remedy: error.remedy,
      file: error.path,
      cause: error)
  }

  /// What the system said of a file that was to be written.
  static func writing(_ error: FileError) -> FormatError {
    let code: Code =
      switch error.code {
      case .exists: .exists
      case .notFound: .notFound
      default: .unwritable
      }
    return FormatError(
      code, error.message, remedy: error.remedy, file: error.path, cause: error)
  }

  /// Does something whose failures are those of files that were to be written.
  static func writing<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let error as FileError { throw writing(error) }
  }

  /// The path that a URL names on this machine's disk.
  static func path(of url: URL, _ code: Code) throws -> String {
    do { return try FilePlace.path(of: url) } catch let error as KeepsakeError {
      throw FormatError(
        code, error.failure, remedy: error.remedy, file: url.absoluteString, cause: error)
    }
  }

  static func changed(_ file: String) -> FormatError {
    FormatError(
      .changed,
      "Can't import '\(file)': it changed while it was read. Try again when nothing writes to it.",
      file: file)
  }
}
