package import KeepsakeFiles

/// A server of HTTP/1.1 for clients on this machine, or behind a proxy that encrypts.
///
/// One thread waits for everything that waits: new clients, connections without a request, slow clients, and listeners
/// of events. A connection gets a thread of its own only while its request is answered, so that a handler may block.
package final class HTTPServer: Sendable {
  /// The names under which clients may address the server, in the field `Host` of a request.
  ///
  /// A page of another site can have its name lead to this machine, and would then be let in as if it were ours. Its
  /// name gives it away.
  package enum Hosts: Sendable, Hashable {
    /// The addresses that the server listens at, `localhost`, and others that are named as `name` or `name:port`.
    case own(also: [String] = [])
    /// Any name. It is for a server that looks at ``HTTPRequestHead/authority`` itself.
    case any
  }

  let core: ServerCore

  /// Creates a server, which is not yet there for clients.
  /// - Parameters:
  ///   - listeners: The places to listen at.
  ///   - hosts: The names under which clients may address it. Others get 403.
  ///   - limits: What one client may take.
  ///   - ownFields: Fields of the answers that the server gives by itself.
  ///   - handler: Answers the requests.
  package init(
    _ listeners: [HTTPListener], hosts: Hosts = .own(), limits: HTTPLimits = HTTPLimits(),
    ownFields: HTTPFields = [:], handler: any HTTPHandler
  ) {
    core = ServerCore(
      places: listeners, hosts: hosts, limits: limits, ownFields: ownFields, handler: handler)
  }

  deinit { core.abandon() }

  /// Begins to listen, and returns when clients can connect.
  /// - Throws: `FileError`, when a port or path can't be had. Then nothing listens.
  package func start() throws(FileError) { try core.start() }

  /// The port of the first listener that has one; nil before the start, and where all are paths.
  package var port: Int? { core.port }

  /// The places at which the server listens, as `address:port` or as a path; empty before the start.
  package var places: [String] { core.openPlaces }

  /// The number of open connections, and of requests that are being answered, at this moment.
  package var load: (connections: Int, answering: Int) {
    (core.register.count, core.watch.count)
  }

  /// Stops: takes no new client, lets answers finish that have begun, ends event streams, and closes everything.
  ///
  /// Blocks until that is done, or the time is over. Then what still runs is cancelled and cut off. A server that was
  /// stopped can't be started again.
  /// - Parameter time: The most time to wait.
  /// - Returns: Whether every answer was finished.
  @discardableResult
  package func stop(within time: Duration) -> Bool { core.stop(within: time) }
}
