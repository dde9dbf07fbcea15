#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

extension FormatError {
  /// Converts the failure to read a file.
  static func reading(_ error: FileError) -> FormatError {
    FormatError(
      error.code == .notFound ? .notFound : .unreadable, error.message, remedy: error.remedy,
      file: error.path,
      cause: error)
  }

  /// Converts the failure to write a file.
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

  /// Runs a closure, and converts a failure of the operating system in it to a failure to write.
  static func writing<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let error as FileError { throw writing(error) }
  }

  /// The path of a URL on this machine's disk.
  /// - Throws: ``FormatError`` with the given code, where the URL names no local file.
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
