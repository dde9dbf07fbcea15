import Foundation
import KeepsakeFiles
import KeepsakeTestSupport

/// Passes bytes on to a server, and cuts each connection after so many bytes in one of the directions.
final class CuttingProxy: Sendable {
  private enum Direction { case toServer, toClient }

  private struct State {
    var random: SeededGenerator
    var cuts = 0
  }

  private let listener: LoopbackListener
  private let state: Locked<State>

  var port: Int { listener.port }
  /// The connections that were cut so far.
  var cuts: Int { state.withLock { $0.cuts } }

  /// Creates a proxy.
  /// - Parameters:
  ///   - server: The port of the server.
  ///   - seed: The seed of what is cut where.
  init(to server: Int, seed: UInt64) throws {
    let state = Locked(State(random: SeededGenerator(seed: seed)))
    self.state = state
    listener = try LoopbackListener { client in
      let cut = state.withLock { state -> (Direction, Int) in
        // Requests have some thousand bytes, and answers some hundred: some cuts hit the first one.
        Bool.random(using: &state.random)
          ? (.toServer, Int.random(in: 0..<9_000, using: &state.random))
          : (.toClient, Int.random(in: 0..<900, using: &state.random))
      }
      let isCut = Self.pass(client, to: server, cut: cut)
      if isCut { state.withLock { $0.cuts += 1 } }
    }
  }

  /// Passes bytes in both directions; returns whether the connection was cut.
  private static func pass(
    _ client: StreamSocket, to port: Int, cut: (Direction, Int)
  ) -> Bool {
    guard
      let server = try? StreamSocket(
        address: "127.0.0.1", port: port, deadline: .now.advanced(by: .seconds(5)))
    else { return false }
    defer {
      client.end()
      server.end()
    }
    var left = [
      cut.0 == .toServer ? cut.1 : .max,
      cut.0 == .toClient ? cut.1 : .max,
    ]
    while true {
      var ready = Readiness()
      ready.add(client, reading: true, writing: false)
      ready.add(server, reading: true, writing: false)
      ready.wait(until: .now.advanced(by: .seconds(60)))
      for (index, (from, to)) in [(client, server), (server, client)].enumerated() {
        var bytes: [UInt8] = []
        switch from.receive(into: &bytes, limit: 16 << 10) {
        case .wouldWait: continue
        case .ended: return false
        case .moved: break
        }
        guard to.sendAll(Array(bytes.prefix(left[index]))) else { return false }
        guard bytes.count < left[index] else { return true }
        left[index] -= left[index] == .max ? 0 : bytes.count
      }
    }
  }
}
