#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// A hub in a database of PostgreSQL, which many processes on many machines share.
///
/// A space of the database is the hub, with an id of its own, and sees nothing of other spaces. A session has a row that says
/// which version is its newest one, and a row for each version. One statement takes what a call offers: it locks the artifacts
/// that are named, then the sessions, each in order, and adds the versions that build on what stands there. A server that
/// acknowledged it has it as durably as its settings promise, which ``promises()`` says in words.
///
/// What was sent and got no answer is sent again as it was. The statement locks the session's row, and so waits until an
/// earlier one of the same bytes is over. What stands there then tells whether that one was taken: either the row says so, or
/// the session's versions do, which a statement of its own reads. An earlier one that comes later changes nothing, because
/// stamps never come back. The lock is written down like any change, so that the answer is as durable as a commit.
///
/// All work is done by threads of the hub's own, so that a slow server stops no task.
package final class PostgresHub: Hub {
  /// The format that this version of Keepsake reads and writes. Format 1 had no lists and no notes.
  static let format: Int64 = 2
  /// The most bytes of one commit. A server has to hold a row in its memory, several times over.
  package static let largestCommit = 256 << 20
  /// The most bytes of one artifact.
  package static let largestArtifact: Int64 = 1 << 30

  package let identity: HubIdentity
  package let isOutdated: Bool
  /// A hub in PostgreSQL tells by its clock what changed, and needs no names for that.
  package var feedPeer: HubPeer? { nil }
  /// The address without a password, for messages.
  let address: String
  /// The number of the space, which is in all of its rows.
  let space: Int32
  let seal: PostgresSeal
  let connections: PostgresConnections
  let patience: PostgresPatience
  /// The connections whose transactions hold a session, by session.
  let held = Locked<[UUID: PostgresConnection]>([:])
  /// The threads for all but the bytes of artifacts.
  let threads: HubThreads
  /// The threads for the bytes of artifacts, which commits are not to wait for.
  let carriers: HubThreads

  init(
    _ place: Place, connections: PostgresConnections, patience: PostgresPatience,
    threads: HubThreads
  ) {
    address = place.address
    identity = HubIdentity(id: place.id, address: place.address, abilities: [.hints, .batches])
    space = place.space
    isOutdated = place.isOutdated
    seal = PostgresSeal(space: place.id)
    self.connections = connections
    self.patience = patience
    self.threads = threads
    carriers = HubThreads(closed: .closedPostgres(place.address))
  }

  deinit {
    threads.end()
    carriers.end()
  }

  package func close() async {
    await threads.close()
    await carriers.close()
    held.withLock { $0 = [:] }
    connections.close()
  }
}

// MARK: - Trying again

extension PostgresHub {
  /// Runs a body that may be run again with a connection, until it has a result, or the server was away for too long.
  func reaching<R>(_ body: (PostgresSession) throws -> R) throws -> R {
    var pauses = PostgresPauses(until: .now.advanced(by: patience.reaching))
    while true {
      do { return try connections.withConnection(body) } catch let failure as PostgresFailure {
        guard failure.isPassing, pauses.wait() else {
          throw KeepsakeError.postgres(address, failure)
        }
      }
    }
  }

  /// Runs a statement that may be run again.
  func ask(
    _ statement: PostgresStatement, _ values: [PostgresValue]
  ) throws -> [PostgresRow] {
    try reaching { try $0.run(statement, values, within: patience.statement) }
  }

  /// Says a failure as an error about a session; an error of Keepsake stays as it is.
  func told(_ error: any Error) -> KeepsakeError {
    switch error {
    case let error as KeepsakeError: error
    case let failure as PostgresFailure: .postgres(address, failure)
    default:
      KeepsakeError(
        .inputOutput, "The hub at '\(address)' failed: \(error)", object: address, cause: error)
    }
  }

  func damaged(_ session: UUID, _ reason: String) -> KeepsakeError {
    .damagedInPostgres(session, address, reason)
  }
}
