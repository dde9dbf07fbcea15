#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// A store holds a session to have other stores wait with their commits of the session.
///
/// A transaction locks the session's row. The store's next commit of the session joins and ends that transaction. Stores that want to hold
/// the same session get it in the order in which they asked the server. A store that holds nothing may commit the session in between.
/// Whoever holds a session makes others wait, so holding and reading what is new take one round trip together, and so do a commit and the
/// transaction's end.
extension PostgresHub {
  package func hold(
    _ session: UUID, readingAfter version: Int64?, bytes: Int
  ) async -> HubVersions? {
    // An error here stops nobody: a store that does not hold the session commits all the same, and its commit tells what is wrong with the
    // server.
    try? await threads.run(inTurn: session) { [self] in
      if holds(session) { return nil }
      let reading = version.map { request(reading: session, after: max(0, $0), bytes: bytes) }
      return try connections.withConnection { connection in
        let answers: [PostgresAnswer]
        do {
          answers = try connection.run(
            together: holding(session) + (reading.map { [$0] } ?? []), within: patience.statement)
        } catch {
          end(connection)
          throw error
        }
        let kept = connections.keep(connection)
        held.withLock { $0[session] = kept }
        guard let version, let rows = answers.last?.rows else { return nil }
        // Whoever needs versions that can't be read asks again, and gets the error.
        let read = rows.map { self.version(of: session, $0) }
        return try? versions(of: session, after: max(0, version), rows, read)
      }
    }
  }

  private static let begin = PostgresStatement("BEGIN")
  private static let limit = PostgresStatement(
    """
    SELECT set_config('lock_timeout', $1::text, true),
      set_config('idle_in_transaction_session_timeout', $1::text, true)
    """)
  private static let queue = PostgresStatement("SELECT pg_advisory_xact_lock($1::bigint)")
  private static let lock = PostgresStatement(
    """
    SELECT version FROM keepsake.head WHERE space = $1::integer AND session = $2::uuid FOR UPDATE
    """)
  private static let commit = PostgresStatement("COMMIT", isWriting: true)

  /// The statements that begin a transaction and lock a session's row.
  ///
  /// PostgreSQL wakes all transactions that wait for a row whenever the row changes, and the fastest one locks the row next. Transactions
  /// that wait for an advisory lock get the lock in the order in which they asked. So each transaction first takes an advisory lock whose
  /// key is a part of the session's id. Two sessions with the same key can't be held at the same time, which does no harm.
  private func holding(_ session: UUID) -> [PostgresRequest] {
    let key = session.octets.suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let milliseconds = Int(patience.holding / .milliseconds(1))
    return [
      PostgresRequest(Self.begin, []), PostgresRequest(Self.limit, [.text("\(milliseconds)")]),
      PostgresRequest(Self.queue, [.number(key)]),
      PostgresRequest(Self.lock, [.number(space), .id(session)]),
    ]
  }

  package func release(_ session: UUID) async {
    guard held.withLock({ $0[session] != nil }) else { return }
    try? await threads.run(inTurn: session) { [self] in
      guard let connection = held.withLock({ $0.removeValue(forKey: session) }) else { return }
      end(PostgresSession(connection: connection, isNamed: connections.isNamed))
      connections.give(connection)
    }
  }

  /// Tells whether this hub object holds a session.
  func holds(_ session: UUID) -> Bool { held.withLock { $0[session] != nil } }

  /// Runs a statement in the transaction that holds a session, and ends the transaction with it.
  ///
  /// - Returns: The rows of the answer, and the connection, which the caller gives back. Nil if this hub object does not hold the session,
  ///   or the server refused, which undoes the statement.
  /// - Throws: A failure that leaves open whether the server did it.
  func runAndRelease(
    _ request: PostgresRequest, _ session: UUID
  ) throws -> (rows: [PostgresRow], connection: PostgresSession)? {
    guard let kept = held.withLock({ $0.removeValue(forKey: session) }) else { return nil }
    let connection = PostgresSession(connection: kept, isNamed: connections.isNamed)
    do throws(PostgresFailure) {
      let answers = try connection.run(
        together: [request, PostgresRequest(Self.commit, [])], within: patience.statement)
      guard answers.count == 2 else { throw PostgresFailure.strange("another number of answers") }
      try kept.require("COMMIT", of: answers[1])
      return (answers[0].rows, connection)
    } catch {
      end(connection)
      connections.give(kept)
      if error.state != nil { return nil }
      throw error
    }
  }

  /// Rolls a transaction back. If the connection is gone, the server has done so by itself.
  private func end(_ session: PostgresSession) {
    if !session.connection.isBroken { try? session.run("ROLLBACK", within: patience.statement) }
  }
}
