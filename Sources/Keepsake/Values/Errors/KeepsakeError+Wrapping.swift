#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Turns errors of files and of the database into errors about a store.
extension KeepsakeError {
  static func wrap(_ error: any Error, store path: String) -> any Error {
    switch error {
    case is KeepsakeError, is CancellationError: error
    case let error as FileError: file(error, store: path)
    case let error as JSONError:
      KeepsakeError(
        .damaged, "The store at '\(path)' is damaged: \(error.message)", remedy: .verify,
        object: path, cause: error)
    default: database(error, store: path) ?? error
    }
  }

  static func file(_ error: FileError, store path: String) -> KeepsakeError {
    let code: Code =
      switch error.code {
      case .noSpace: .diskFull
      case .permissionDenied: .permissionDenied
      case .readOnly: .readOnly
      case .notFound: .notFound
      case .tooLarge: .tooLarge
      case .outsideRoot, .notRegular, .link, .changed, .guarded: .refused
      default: .inputOutput
      }
    return KeepsakeError(
      code, error.message, remedy: error.remedy, object: error.path, cause: error)
  }

  static func replaced(_ path: String) -> KeepsakeError {
    KeepsakeError(
      .replaced,
      "The store at '\(path)' was deleted, moved or replaced while it was open. Close it and open it again.",
      object: path)
  }

  static func closed(_ path: String) -> KeepsakeError {
    KeepsakeError(.closed, "The store at '\(path)' is closed. Open it again.", object: path)
  }

  static func notAStore(_ path: String) -> KeepsakeError {
    KeepsakeError(
      .notAStore,
      "'\(path)' is not a store. Name a folder that Keepsake made, or one that does not exist yet.",
      object: path)
  }

  static func noSession(_ id: UUID) -> KeepsakeError {
    KeepsakeError(.notFound, "There is no session \(id) in this store.", object: id.uuidString)
  }

  static func noPosition(_ position: Int, in session: UUID, entries: Int) -> KeepsakeError {
    KeepsakeError(
      .outOfRange,
      entries == 0
        ? "There is no entry at position \(position): session \(session) is empty."
        : "There is no entry at position \(position): session \(session) has 0 to \(entries - 1).",
      object: session.uuidString)
  }
}
