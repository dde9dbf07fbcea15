import Foundation
import KeepsakeFiles

/// Takes connections on loopback, each on a thread of its own, until it is released.
final class LoopbackListener: Sendable {
  private let listener: SocketListener
  private let isOver = Locked(false)
  private let wakeUp: WakeUp

  var port: Int { listener.port }

  init(_ serve: @escaping @Sendable (StreamSocket) -> Void) throws {
    listener = try SocketListener(address: "127.0.0.1", port: 0)
    wakeUp = try WakeUp()
    _ = try WorkerThread(starting: "proxy") { [listener, isOver, wakeUp] in
      while !isOver.withLock({ $0 }) {
        var ready = Readiness()
        ready.add(listener)
        ready.add(wakeUp)
        ready.wait(until: .now.advanced(by: .seconds(1)))
        while let client = try? listener.accept() {
          _ = try? WorkerThread(starting: "proxied") { serve(client) }
        }
      }
    }
  }

  deinit {
    isOver.withLock { $0 = true }
    wakeUp.wake()
  }
}

extension StreamSocket {
  /// Sends all bytes; false where the other side is gone.
  func sendAll(_ bytes: [UInt8]) -> Bool {
    var place = 0
    while place < bytes.count {
      switch send(bytes, from: place) {
      case .moved(let count): place += count
      case .ended: return false
      case .wouldWait:
        guard
          Readiness.wait(
            for: self, reading: false, writing: true, until: .now.advanced(by: .seconds(10)))
        else { return false }
      }
    }
    return true
  }
}
