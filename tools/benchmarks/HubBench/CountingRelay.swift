import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakePostgres

/// A way to a server on which everything that passes is counted.
final class CountingRelay: Sendable {
  /// The counts of all connections through the relay since it began.
  struct Counts: Sendable {
    /// The bytes that came from the server.
    var fromServer = 0
    /// The number of round trips: a client sent bytes, and before that the server had sent some, or nobody had.
    var roundTrips = 0
  }

  private struct Link {
    let client: StreamSocket
    let server: StreamSocket
    var toServer: [UInt8] = []
    var fromServer: [UInt8] = []
    /// Tells whether the last bytes on a connection came from the server, or none have come yet.
    var isAnswered = true
    var isOver = false
  }

  private struct State {
    var counts = Counts()
    var isClosed = false
  }

  private let port: Int
  private let delay: Duration
  private let state = Locked(State())
  private let thread: Locked<WorkerThread?> = Locked(nil)

  var counts: Counts { state.withLock { $0.counts } }

  /// Begins to relay.
  /// - Parameters:
  ///   - address: The address of the server, whose host is an IP address.
  ///   - delay: The time for which the client's bytes are held, as on a longer way. One connection at a time can be measured so.
  init(to address: PostgresAddress, delay: Duration = .zero) throws {
    let options = Dictionary(address.options.map { ($0.name, $0.value) }) { $1 }
    guard let host = options["hostaddr"] ?? options["host"],
      let server = Int(options["port"] ?? "5432")
    else {
      throw KeepsakeError(.invalid, "A relay needs the address of one server, as digits.")
    }
    let listener = try SocketListener(address: "127.0.0.1", port: 0)
    port = listener.port
    self.delay = delay
    // A server that can't be reached is told of here.
    try StreamSocket(
      address: host, port: server, deadline: .now.advanced(by: .seconds(5))
    ).end()
    let worker = try WorkerThread(starting: "keepsake.relay") { [state] in
      Self.relay(listener, host, server, delay, state)
    }
    thread.withLock { $0 = worker }
  }

  deinit { close() }

  func close() {
    state.withLock { $0.isClosed = true }
    thread.withLock { $0 }?.join()
  }

  /// The address of a database behind the relay.
  func address(of address: PostgresAddress) -> String {
    var options = address.options.filter { !["host", "hostaddr", "port"].contains($0.name) }
    options += [
      ("host", "127.0.0.1"), ("port", "\(port)"), ("keepsake_space", address.space),
    ]
    let query = options.map { name, value in
      name + "=" + (value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
    return "postgresql:///?" + query.joined(separator: "&")
  }

  private static func relay(
    _ listener: SocketListener, _ host: String, _ server: Int, _ delay: Duration,
    _ state: Locked<State>
  ) {
    var links: [Link] = []
    var readiness = Readiness()
    while !state.withLock({ $0.isClosed }) {
      readiness.removeAll()
      readiness.add(listener)
      for link in links {
        readiness.add(link.client, reading: true, writing: !link.fromServer.isEmpty)
        readiness.add(link.server, reading: true, writing: !link.toServer.isEmpty)
      }
      readiness.wait(until: .now.advanced(by: .milliseconds(50)))
      while let client = try? listener.accept() {
        guard
          let socket = try? StreamSocket(
            address: host, port: server, deadline: .now.advanced(by: .seconds(5)))
        else {
          client.end()
          continue
        }
        links.append(Link(client: client, server: socket))
      }
      for index in links.indices { move(&links[index], delay, state) }
      links.removeAll { $0.isOver }
    }
    for link in links {
      link.client.end()
      link.server.end()
    }
  }

  private static func move(_ link: inout Link, _ delay: Duration, _ state: Locked<State>) {
    let before = (sent: link.toServer.count, received: link.fromServer.count)
    let isLeft = link.client.receive(into: &link.toServer, limit: 1 << 16) == .ended
    let isNew = link.toServer.count > before.sent
    if isNew, delay > .zero { Thread.sleep(forTimeInterval: delay / .seconds(1)) }
    push(&link.toServer, to: link.server)
    let isGone = link.server.receive(into: &link.fromServer, limit: 1 << 16) == .ended
    let received = link.fromServer.count - before.received
    push(&link.fromServer, to: link.client)
    state.withLock { state in
      if isNew, link.isAnswered { state.counts.roundTrips += 1 }
      state.counts.fromServer += received
    }
    if isNew { link.isAnswered = false }
    if received > 0 { link.isAnswered = true }
    guard isLeft || isGone else { return }
    link.isOver = true
    link.client.end()
    link.server.end()
  }

  private static func push(_ bytes: inout [UInt8], to socket: StreamSocket) {
    var start = 0
    while start < bytes.count, case .moved(let count) = socket.send(bytes, from: start) {
      start += count
    }
    bytes.removeFirst(start)
  }
}
