#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Errors about a hub in PostgreSQL. The addresses in them hold no password.
extension KeepsakeError {
  static func noPostgres(_ reason: String) -> KeepsakeError {
    KeepsakeError(.inputOutput, reason, cause: HubFault.unreachable)
  }

  /// Says the failure of a statement as an error that a person can act on.
  static func postgres(_ address: String, _ failure: PostgresFailure) -> KeepsakeError {
    let head = "Can't use the hub at '\(address)': \(failure.reason)."
    switch failure.kind {
    case .unreachable, .busy, .unknown:
      return KeepsakeError(
        .inputOutput, "\(head) Check that the server runs and that it can be reached from here.",
        object: address, cause: HubFault.unreachable)
    case .strange: return KeepsakeError(.inputOutput, head, object: address, cause: failure)
    case .refused(let state): return refused(address, state, head, failure)
    }
  }

  private static func refused(
    _ address: String, _ state: String, _ head: String, _ failure: PostgresFailure
  ) -> KeepsakeError {
    switch state {
    case "42501":
      KeepsakeError(
        .permissionDenied, "\(head) Grant the role what a hub needs.", object: address,
        cause: HubFault.unreachable)
    case "53100":
      KeepsakeError(
        .diskFull, "\(head) Make room on the server's disk.", object: address, cause: failure)
    case "25006":
      KeepsakeError(
        .readOnly, "\(head) The server is a standby, or read-only; name the one that takes writes.",
        object: address, cause: HubFault.unreachable)
    case "54000", "53200":
      KeepsakeError(.tooLarge, "\(head) Write less at once.", object: address, cause: failure)
    case "42P01", "42703", "3F000":
      damagedPostgres(address, "its tables are not those that Keepsake made (\(failure.reason))")
    default: KeepsakeError(.inputOutput, "\(head) (\(state))", object: address, cause: failure)
    }
  }

  static func noPostgresHub(_ address: String) -> KeepsakeError {
    KeepsakeError(
      .notFound,
      "There is no hub at '\(address)'. Check the database and the space; a new hub has to be asked for.",
      object: address, cause: HubFault.unreachable)
  }

  static func notAPostgresHub(_ address: String) -> KeepsakeError {
    KeepsakeError(
      .refused,
      "The schema 'keepsake' of the database at '\(address)' is not a hub: it holds other things. Use another database.",
      object: address, cause: HubFault.notAHub)
  }

  /// The error for a hub that a newer version of Keepsake made or upgraded.
  static func newerPostgresHub(_ address: String, format: Int64? = nil) -> KeepsakeError {
    let which =
      format.map { " (format \($0); this one knows \(PostgresHub.format))" } ?? " meanwhile"
    return KeepsakeError(
      .newerStore, "The hub at '\(address)' was written by a newer version of Keepsake\(which).",
      remedy: .upgrade, object: address, cause: HubFault.newer)
  }

  static func olderPostgresHub(_ address: String) -> KeepsakeError {
    KeepsakeError(
      .refused, "The hub at '\(address)' was made by an earlier version of Keepsake.",
      remedy: .upgradeHub, object: address, cause: HubFault.older)
  }

  static func anotherPostgresHub(_ address: String, id: UUID, expected: UUID) -> KeepsakeError {
    KeepsakeError(
      .conflict,
      "Another hub is at '\(address)': its id is \(id), and the one that is wanted has \(expected). "
        + "Check the server, the database and the space.",
      object: address, cause: HubFault.another(id))
  }

  static func unfitPostgres(_ address: String, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .refused, "The database at '\(address)' can't be a hub: \(reason).", object: address,
      cause: HubFault.unconditional)
  }

  static func damagedPostgres(_ address: String, _ reason: String) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "The hub at '\(address)' is damaged: \(reason). Restore the database from a backup.",
      object: address, cause: HubFault.damaged(session: nil))
  }

  static func damagedInPostgres(
    _ session: UUID, _ address: String, _ reason: String
  ) -> KeepsakeError {
    KeepsakeError(
      .damaged,
      "Session \(session) is damaged in the hub at '\(address)': \(reason). "
        + "Other sessions go on. Put its rows back from a backup of the database.",
      object: session.uuidString, cause: HubFault.damaged(session: session))
  }

  /// Nobody knows whether an offer was taken.
  static func unknownInPostgres(
    _ session: UUID, _ address: String, _ reason: String
  ) -> KeepsakeError {
    KeepsakeError(
      .inputOutput,
      "Whether the hub at '\(address)' took the commit of session \(session) is not known: \(reason). "
        + "Send the same commit again when the server can be reached: the hub knows it by its stamp, and takes it once.",
      object: session.uuidString, cause: HubFault.unreachable)
  }
}

extension KeepsakeError {
  static func closedPostgres(_ address: String) -> KeepsakeError {
    KeepsakeError(.closed, "The hub at '\(address)' is closed. Open it again.", object: address)
  }
}
