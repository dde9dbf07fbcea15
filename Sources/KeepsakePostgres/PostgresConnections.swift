import KeepsakeFiles

/// The connections of a hub. There are as many as threads that need one at the same time.
final class PostgresConnections: Sendable {
  /// The time after which a connection that nobody used is closed.
  private static let rest = Duration.seconds(60)

  private struct State {
    var idle: [(connection: PostgresConnection, since: Instant)] = []
    var isClosed = false
    /// The connections that are kept beyond the body that has them.
    var kept: Set<ObjectIdentifier> = []
    /// Tells whether a pooler between us and the server loses the statements that were prepared.
    var losesNames = false
  }

  private let options: [(name: String, value: String)]
  private let state = Locked(State())

  init(_ options: [(name: String, value: String)]) { self.options = options }

  /// Runs a body with a connection, which nobody else has meanwhile.
  func withConnection<R>(
    _ body: (PostgresSession) throws -> R
  ) throws -> R {
    try with(PostgresSession(connection: take(), isNamed: isNamed), body)
  }

  /// Runs a body with a connection that was taken before, and takes it back afterwards.
  func with<R>(_ session: PostgresSession, _ body: (PostgresSession) throws -> R) throws -> R {
    let connection = session.connection
    do {
      let result = try body(session)
      let isKept = state.withLock { $0.kept.remove(ObjectIdentifier(connection)) != nil }
      if !isKept { give(connection) }
      return result
    } catch let failure as PostgresFailure {
      if failure.state == "26000" { state.withLock { $0.losesNames = true } }
      // A standby, or a server that ends: another connection may lead elsewhere.
      if failure.state != nil, failure.state != "25006" { give(connection) }
      throw failure
    } catch {
      give(connection)
      throw error
    }
  }

  /// Takes a connection that is open, and over which a statement can be sent without waiting; nil if there is none. Whoever takes it
  /// gives it back.
  func takeReady(for statement: PostgresStatement) -> PostgresSession? {
    guard let (connection, _) = next() else { return nil }
    guard connection.isFresh else { return nil }
    let session = PostgresSession(connection: connection, isNamed: isNamed)
    if session.isReady(for: statement) { return session }
    give(connection)
    return nil
  }

  /// Tells whether statements are prepared and named.
  var isNamed: Bool { !state.withLock { $0.losesNames } }

  /// Keeps the connection of a session beyond the body that has it. Whoever keeps it gives it back.
  func keep(_ session: PostgresSession) -> PostgresConnection {
    state.withLock { _ = $0.kept.insert(ObjectIdentifier(session.connection)) }
    return session.connection
  }

  /// Closes the connections that nobody uses, and those in use when they are given back.
  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    _ = idle
  }

  private func take() throws -> PostgresConnection {
    while let (connection, old) = next() {
      _ = old
      if connection.isFresh { return connection }
    }
    return try PostgresConnection(options)
  }

  /// The connection for which the server has planned the most statements, of several such the one that was used last, and the connections
  /// that nobody used for long, which are to be closed.
  ///
  /// To plan a statement takes a round trip. Of the connections that were opened to do some work at the same time, most have planned the
  /// statement of that work alone.
  private func next() -> (PostgresConnection, [PostgresConnection])? {
    let limit = Instant.now.advanced(by: .zero - Self.rest)
    return state.withLock { state in
      let old = state.idle.filter { $0.since < limit }.map(\.connection)
      state.idle.removeAll { $0.since < limit }
      let best = state.idle.indices.reversed().max { first, second in
        state.idle[first].connection.preparedCount < state.idle[second].connection.preparedCount
      }
      return best.map { (state.idle.remove(at: $0).connection, old) }
    }
  }

  /// Takes a connection back, unless it is broken.
  func give(_ connection: PostgresConnection) {
    guard !connection.isBroken else { return }
    state.withLock { state in
      if !state.isClosed { state.idle.append((connection, .now)) }
    }
  }
}
