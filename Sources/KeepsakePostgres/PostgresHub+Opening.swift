#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import Keepsake
import KeepsakeFiles

extension PostgresHub {
  /// The place of a hub: a space of a database.
  struct Place: Sendable {
    let address: String
    let space: Int32
    let id: UUID
    let isOutdated: Bool
  }

  /// Opens the hub at an address.
  ///
  /// - Parameters:
  ///   - address: The address, as ``PostgresAddress`` describes it.
  ///   - id: The id that the hub has to have; nil for whatever hub is there.
  ///   - mayMake: Whether the tables and the space are made where they are missing. Of two who do so at once, one makes them.
  ///   - mayUpgrade: Tells whether the hub is opened to be upgraded, and so may be one that an earlier version of Keepsake made.
  ///   - patience: The times for which the hub waits for its server.
  /// - Returns: The open hub.
  /// - Throws: A ``KeepsakeError`` with a ``HubFault`` as its cause.
  package static func open(
    at address: String, expecting id: UUID? = nil, making mayMake: Bool = false,
    upgrading mayUpgrade: Bool = false, patience: PostgresPatience = PostgresPatience()
  ) async throws -> PostgresHub {
    let address = try PostgresAddress(address)
    let connections = PostgresConnections(address.options)
    let threads = HubThreads(closed: .closedPostgres(address.text))
    do {
      return try await threads.run {
        let place = try find(connections, patience) {
          PostgresOpening(
            address: address, session: $0, mayMake: mayMake, mayUpgrade: mayUpgrade,
            time: patience.statement)
        }
        if let id, id != place.id {
          throw KeepsakeError.anotherPostgresHub(address.text, id: place.id, expected: id)
        }
        return PostgresHub(
          place, connections: connections, patience: patience, threads: threads)
      }
    } catch {
      threads.end()
      connections.close()
      if let failure = error as? PostgresFailure {
        throw KeepsakeError.postgres(address.text, failure)
      }
      throw error
    }
  }

  package func assurances() async throws -> [String] { try await promises().sentences }

  /// Reads from the server what a yes of it is worth.
  package func promises() async throws -> PostgresPromises {
    try await threads.run { [self] in
      guard let row = try ask(Self.settings, []).first else {
        throw told(PostgresFailure.strange("no settings"))
      }
      do {
        return try PostgresPromises(
          synchronousCommit: row.text(0), synchronousStandbys: row.text(1),
          syncsDisk: row.text(2) == "on", writesFullPages: row.text(3) == "on")
      } catch { throw told(error) }
    }
  }

  private static let settings = PostgresStatement(
    """
    SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
      current_setting('fsync'), current_setting('full_page_writes')
    """)

  private static func find(
    _ connections: PostgresConnections, _ patience: PostgresPatience,
    _ opening: (PostgresSession) -> PostgresOpening
  ) throws -> Place {
    var pauses = PostgresPauses(until: .now.advanced(by: patience.reaching))
    while true {
      do {
        return try connections.withConnection { session in
          // Each statement of the opening runs once, and would cost another round trip to be prepared.
          try opening(PostgresSession(connection: session.connection, isNamed: false)).place()
        }
      } catch let failure as PostgresFailure {
        // A server that can't be reached at all is told at once, because the address may be wrong. One without room for another connection may
        // have it as soon as it knows that another program closed its own.
        guard failure.isPassing, failure.kind != .unreachable, pauses.wait() else { throw failure }
      }
    }
  }
}
