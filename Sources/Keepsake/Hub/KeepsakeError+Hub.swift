#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

/// Errors about a hub, each with a ``HubFault`` as its cause.
extension KeepsakeError {
  static func hub(_ path: String, unreachable error: FileError) -> KeepsakeError {
    KeepsakeError(
      file(error, store: path).code, "Can't use the hub at '\(path)'. \(error.message)",
      object: path, cause: HubFault.unreachable)
  }

  static func notAHub(_ path: String) -> KeepsakeError {
    KeepsakeError(
      .refused,
      "'\(path)' is not a hub: it holds other things. Name the folder of a hub, or an empty one to make a hub in.",
      object: path, cause: HubFault.notAHub)
  }

  /// There is no hub at a path or address.
  package static func noHub(_ path: String) -> KeepsakeError {
    KeepsakeError(
      .notFound,
      "There is no hub at '\(path)'. Check the path or address, and whether the disk is there; a new hub has to be asked for.",
      object: path, cause: HubFault.unreachable)
  }

  /// Another folder has the place of a hub that is open.
  static func replacedHub(_ path: String) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      "The hub at '\(path)' was replaced while it was open. Check what is mounted there, or open the store again.",
      object: path, cause: HubFault.unreachable)
  }

  /// A newer version of Keepsake wrote the hub.
  package static func newerHub(_ path: String, format: Int64) -> KeepsakeError {
    KeepsakeError(
      .newerStore,
      "The hub at '\(path)' was written by a newer version of Keepsake (format \(format); this one knows \(VersionFile.format)).",
      remedy: .upgrade, object: path, cause: HubFault.newer)
  }

  /// The hub is another one than the one that is wanted.
  package static func anotherHub(_ path: String, id: UUID, expected: UUID) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      "Another hub is at '\(path)': its id is \(id), and the one that is wanted has \(expected). "
        + "Check the path or address, and what is mounted there.",
      object: path, cause: HubFault.another(id))
  }

  static func unconditionalHub(_ path: String, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .refused,
      "The folder '\(path)' can't be a hub: \(reason). "
        + "Choose a folder on a file system that several machines may write to, such as a local disk or NFS, "
        + "and none that an app copies between machines.",
      object: path, cause: HubFault.unconditional)
  }

  /// Something of a hub that belongs to no session was altered or is gone.
  package static func damagedHub(_ path: String, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "The hub at '\(path)' is damaged: \(reason). Put the file back from a backup.",
      object: path, cause: HubFault.damaged(session: nil))
  }

  /// A session of a hub was altered, or something of it is gone.
  package static func damaged(_ session: UUID, in hub: String, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Session \(session) is damaged in the hub at '\(hub)': \(reason). "
        + "Other sessions go on. Put its file back from a backup of the hub.",
      object: session.uuidString, cause: HubFault.damaged(session: session))
  }

  /// The hub was closed.
  package static func closedHub(_ path: String) -> KeepsakeError {
    KeepsakeError(.closed, "The hub at '\(path)' is closed. Open it again.", object: path)
  }
}
