#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// A store holds a session to have other stores wait with their commits of the session.
///
/// A transaction locks the session's row. The store's next commit of the session joins and ends that transaction. Stores that want to hold
/// the same session get it in the order in which they asked the server. A store that holds nothing may commit the session in between.
extension PostgresHub {
  package func hold(_ session: UUID) async {
    // An error here stops nobody: a store that does not hold the session commits all the same, and its commit tells what is wrong with the
    // server.
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

  /// The statements that begin a transaction and lock a session's row, which take one round trip together.
  ///
  /// PostgreSQL wakes all transactions that wait for a row whenever the row changes, and the fastest one locks the row next. Transactions
  /// that wait for an advisory lock get the lock in the order in which they asked. So each transaction first takes an advisory lock whose
  /// key is a part of the session's id. Two sessions with the same key can't be held at the same time, which does no harm.
  private func holding(_ session: UUID) -> String {
    let key = session.octets.suffix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let limit = Int(patience.holding / .milliseconds(1))
    return """
      BEGIN;
      SET LOCAL lock_timeout = \(limit);
      SET LOCAL idle_in_transaction_session_timeout = \(limit);
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

  /// Runs a body with a connection. If this hub object holds the session, the body runs in the transaction that holds the session, and the
  /// transaction ends with the body.
  ///
  /// If a statement of the body fails in that transaction, the transaction is rolled back, and the body runs again outside of it.
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

  /// Rolls a transaction back. If the connection is gone, the server has done so by itself.
  private func end(_ session: PostgresSession) {
    if !session.connection.isBroken { try? session.run("ROLLBACK", within: patience.statement) }
  }
}
