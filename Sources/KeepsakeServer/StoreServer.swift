#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake
import KeepsakeFiles
package import KeepsakeHTTP

/// A server that shows a store in a browser, and answers programs.
///
/// It listens on this machine alone unless it is told otherwise, and nobody gets an answer without the link that it gives
/// or a token that a person keeps.
package final class StoreServer: Sendable {
  /// The settings of a server: where it listens, whom it lets in, and what it lets them do.
  package struct Options: Sendable {
    /// The place where the server waits for requests.
    package var listener: HTTPListener = .loopback(port: 0)
    /// Whether nothing can be changed through the server.
    package var isReadOnly = false
    /// Whether models are answered at `/mcp`, and may add entries; nil for not at all.
    package var models: Models?
    /// A token that programs and people may use for as long as they like; nil for none.
    package var token: String?
    /// The hosts beside its own address for which the server answers, as a proxy before it passes them on.
    package var hosts: [String] = []
    package var limits = HTTPLimits()
    /// The present time.
    package var now: @Sendable () -> Date = { Date() }

    package init() {}

    /// The rights of models.
    package enum Models: Sendable, Hashable {
      case mayRead, mayWrite
    }
  }

  private let server: HTTPServer
  private let state: ServerState

  /// Opens the listener. Requests are answered from now on.
  ///
  /// - Parameters:
  ///   - store: The store, which stays open until the server has stopped.
  ///   - options: What the server does, and for whom.
  /// - Throws: A ``KeepsakeError`` where the token is too short, or an error of the system where the port is taken.
  package init(_ store: Store, _ options: Options = Options()) throws {
    let kept = try options.token.map { text in
      guard let token = AccessToken(kept: text) else {
        throw KeepsakeError(
          .invalid,
          "The token is too short, or has blanks in it. Give at least 32 characters that nobody can guess."
        )
      }
      return token
    }
    let state = ServerState(store: store, options: options, kept: kept)
    self.state = state
    server = HTTPServer(
      [options.listener], hosts: .any, limits: options.limits, ownFields: SecurityFields.common,
      handler: state)
    try server.start()
    state.open(at: server.port)
  }

  /// The port at which the server is reached; nil for a socket in the file system.
  package var port: Int? { server.port }

  /// A link that opens the server in a browser, once; nil for a socket in the file system, which no browser opens.
  package func invitation() -> String? {
    guard let authority = state.authority else { return nil }
    return "http://\(authority)/?t=\(state.gate.invite().text)"
  }

  /// Makes a token that nobody can guess, for a file in which a person keeps it.
  package static func newToken() -> String { AccessToken().text }

  /// The number of browsers and programs that wait for events.
  package var listeners: Int { state.live.count }

  /// Stops: no more requests are taken, those that are being answered are finished, and streams of events end.
  package func stop(within time: Duration = .seconds(5)) {
    state.live.close()
    server.stop(within: time)
    state.uploads.close()
  }
}
