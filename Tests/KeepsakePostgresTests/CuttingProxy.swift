import Foundation
import KeepsakeFiles
import KeepsakeTestSupport

/// A way to a server on which every connection is cut somewhere, as a seed says.
final class CuttingProxy: Sendable {
  /// What happens to a connection.
  enum Fate: Sendable {
    /// Nothing happens.
    case none
    /// So many bytes reach the server, and no more.
    case cutToServer(Int)
    /// So many bytes of the server's answers come back, and no more.
    case cutFromServer(Int)
    /// After so many bytes the client is left alone, and what it sent reaches the server later.
    case late(Int, Duration)
    /// After so many bytes nothing moves any more, and nobody is told.
    case silent(Int)
  }

  private struct Link {
    let client: StreamSocket
    let server: StreamSocket
    let fate: Fate
    var toServer: [UInt8] = []
    var fromServer: [UInt8] = []
    var sent = 0
    var received = 0
    /// Tells whether the last bytes on the connection came from the server, or none have come yet.
    var isAnswered = true
    var isOver = false
    /// The moment at which held bytes go on, and the moment after which the server is left alone as well.
    var held: [UInt8] = []
    var releases: Instant?
    var ends: Instant?
  }

  private struct State {
    var cuts = 0
    var late = 0
    var roundTrips = 0
    var isClosed = false
  }

  let port: Int
  private let state = Locked(State())
  private let thread: Locked<WorkerThread?> = Locked(nil)

  /// The connections that were cut, and those of them whose bytes came late.
  var cuts: (all: Int, late: Int) { state.withLock { ($0.cuts, $0.late) } }
  /// The number of times that a client sent something on a connection on which everything before had been answered.
  var roundTrips: Int { state.withLock { $0.roundTrips } }

  init(to server: Int, _ fate: @escaping @Sendable (_ connection: Int) -> Fate) throws {
    let listener = try SocketListener(address: "127.0.0.1", port: 0)
    port = listener.port
    let state = state
    let worker = try WorkerThread(starting: "keepsake.proxy") {
      var links: [Link] = []
      var count = 0
      var readiness = Readiness()
      while !state.withLock({ $0.isClosed }) {
        readiness.removeAll()
        readiness.add(listener)
        for link in links {
          readiness.add(link.client, reading: link.ends == nil, writing: !link.fromServer.isEmpty)
          readiness.add(link.server, reading: true, writing: !link.toServer.isEmpty)
        }
        let isHolding = links.contains { $0.releases != nil || $0.ends != nil }
        readiness.wait(until: .now.advanced(by: .milliseconds(isHolding ? 2 : 50)))
        while let client = try? listener.accept() {
          guard
            let socket = try? StreamSocket(
              address: "127.0.0.1", port: server, deadline: .now.advanced(by: .seconds(5)))
          else { continue }
          links.append(Link(client: client, server: socket, fate: fate(count)))
          count += 1
        }
        for index in links.indices {
          let wasLate = links[index].ends != nil
          Self.move(&links[index]) { state.withLock { $0.roundTrips += 1 } }
          if links[index].isOver || (!wasLate && links[index].ends != nil) {
            state.withLock { state in
              if !wasLate { state.cuts += 1 }
              if links[index].ends != nil, !wasLate { state.late += 1 }
            }
          }
        }
        for link in links where link.isOver {
          link.client.end()
          link.server.end()
        }
        links.removeAll { $0.isOver }
      }
      for link in links {
        link.client.end()
        link.server.end()
      }
    }
    thread.withLock { $0 = worker }
  }

  deinit { close() }

  func close() {
    state.withLock { $0.isClosed = true }
    thread.withLock { $0 }?.join()
  }

  /// Moves what has come on a connection. A round trip is counted before the server can answer, so that a client which has its answer
  /// finds the round trip counted.
  private static func move(_ link: inout Link, counting count: () -> Void) {
    if let ends = link.ends { return moveLate(&link, until: ends) }
    if case .silent(let limit) = link.fate, link.sent >= limit { return }
    var bytes: [UInt8] = []
    var isGone = link.client.receive(into: &bytes, limit: 1 << 16) == .ended
    switch link.fate {
    case .cutToServer(let limit) where link.sent + bytes.count > limit:
      bytes = Array(bytes.prefix(limit - link.sent))
      isGone = true
    case .late(let limit, let delay) where link.sent + bytes.count > limit:
      // All of the statement is there when no more comes for a moment.
      let pause = Instant.now.advanced(by: .milliseconds(3))
      while Instant.now < pause { _ = link.client.receive(into: &bytes, limit: 1 << 16) }
      link.held = bytes
      bytes = []
      link.client.end()
      link.releases = .now.advanced(by: delay)
      link.ends = .now.advanced(by: delay + .milliseconds(200))
      return
    default: break
    }
    if !bytes.isEmpty, link.isAnswered {
      link.isAnswered = false
      count()
    }
    link.sent += bytes.count
    link.toServer += bytes
    push(&link.toServer, to: link.server)
    bytes = []
    if link.server.receive(into: &bytes, limit: 1 << 16) == .ended { isGone = true }
    if case .cutFromServer(let limit) = link.fate, link.received + bytes.count > limit {
      bytes = Array(bytes.prefix(limit - link.received))
      isGone = true
    }
    if !bytes.isEmpty { link.isAnswered = true }
    link.received += bytes.count
    link.fromServer += bytes
    push(&link.fromServer, to: link.client)
    link.isOver = isGone
  }

  private static func moveLate(_ link: inout Link, until ends: Instant) {
    if let releases = link.releases, releases <= .now {
      link.toServer += link.held
      link.held = []
      link.releases = nil
    }
    push(&link.toServer, to: link.server)
    var ignored: [UInt8] = []
    let isGone = link.server.receive(into: &ignored, limit: 1 << 16) == .ended
    link.isOver = isGone || ends <= .now
  }

  private static func push(_ bytes: inout [UInt8], to socket: StreamSocket) {
    while !bytes.isEmpty, case .moved(let count) = socket.send(bytes) { bytes.removeFirst(count) }
  }
}
