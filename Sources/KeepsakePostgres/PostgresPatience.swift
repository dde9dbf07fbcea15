/// How long a hub in PostgreSQL waits for its server.
package struct PostgresPatience: Sendable, Hashable {
  /// The time for one statement, after which its connection is given up. A statement with many bytes gets more.
  package var statement: Duration
  /// The time in which a server that can't be reached is tried again, before a call fails.
  package var reaching: Duration
  /// The time in which an offer is sent again that was sent, and of which nobody knows whether it was taken.
  package var resolving: Duration
  /// The time for which a store waits to hold a session, and for which a store may hold one and send nothing.
  package var holding: Duration

  package init(
    statement: Duration = .seconds(30), reaching: Duration = .seconds(10),
    resolving: Duration = .seconds(60), holding: Duration = .seconds(2)
  ) {
    self.statement = statement
    self.reaching = reaching
    self.resolving = resolving
    self.holding = holding
  }
}
