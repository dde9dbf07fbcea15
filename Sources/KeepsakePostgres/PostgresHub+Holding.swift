#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// Holding a session, so that other stores wait with their commits of it.
///
/// The session's row is locked in a transaction, which the next commit of the session joins and ends. Those who want to hold a session get
/// it in the order in which they asked the server. A commit of somebody who holds nothing may come in between.
extension PostgresHub {
  /// The longest time in milliseconds that a store waits for a row. Then it goes on without.
  private static let longestWait = 2000
  /// The longest time in milliseconds for which a store that does nothing has the row. Then the server takes it back.
  private static let longestRest = 2000

  package func hold(_ session: UUID) async {
    // Without the row the commit is tried as any other one is, and tells what is wrong with the server.
    try? await threads.run(inTurn: session) { [self] in
      if holds(session) { return }
      try connections.withConnection { connection in
        do { try connection.run(holding(session), within: patience.statement) } catch {
          end(connection)
          throw error
        }
        let kept = connections.keep(connection)
        held.withLock { $0[session] = kept }
      }
    }
  }

  /// The statements that begin a transaction and lock a session's row, for one round trip.
  ///
  /// Those who wait for a row are woken together each time that somebody has changed it. The advisory lock has a queue, and stands for the
  /// session. Sessions that have the same key wait for each other, which does no harm.
  private func holding(_ session: UUID) -> String {
    let key = session.octets.suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return """
      BEGIN;
      SET LOCAL lock_timeout = \(Self.longestWait);
      SET LOCAL idle_in_transaction_session_timeout = \(Self.longestRest);
      SELECT pg_advisory_xact_lock(\(key));
      SELECT version FROM keepsake.head WHERE space = \(space) AND session = '\(session)' FOR UPDATE
      """
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

  /// Runs a body with a connection. If the session is held, the body belongs to the transaction that holds it, which ends with the body.
  ///
  /// The body runs again if the transaction fails in it, because nothing of the transaction stays then.
  func withConnection<R>(
    holding session: UUID?, _ body: (PostgresSession) throws -> R
  ) throws -> R {
    let kept = session.flatMap { session in held.withLock { $0.removeValue(forKey: session) } }
    guard let kept else { return try connections.withConnection(body) }
    let connection = PostgresSession(connection: kept, isNamed: connections.isNamed)
    let result: R
    do { result = try body(connection) } catch {
      end(connection)
      connections.give(kept)
      guard error is PostgresFailure else { throw error }
      return try connections.withConnection(body)
    }
    defer { connections.give(kept) }
    do {
      try connection.run("COMMIT", expecting: "COMMIT", within: patience.statement)
      return result
    } catch {
      end(connection)
      throw error
    }
  }

  /// Takes back what a transaction did, unless the server does so itself because the connection is gone.
  private func end(_ session: PostgresSession) {
    if !session.connection.isBroken { try? session.run("ROLLBACK", within: patience.statement) }
  }
}
