import Keepsake
import KeepsakeFiles

/// A connection whose messages are lines: a pipe, or a socket.
///
/// Messages are routed in their order on the thread that reads them, which never waits for a store nor for a slow client: a
/// ping and a cancellation overtake the calls before them. Answers come in any order, one write each.
package final class StdioConnection: Sendable {
  private let server: MCPServer
  private let output: OutputQueue
  private let state = Locked(ConnectionState())
  private let open = Monitor(OpenCalls())
  private let ending: EndSignal

  /// The time that calls have to end once the client sends nothing more: clients wait two seconds for the whole program.
  private static let grace: Duration = .milliseconds(700)

  /// The calls that are not answered yet.
  private struct OpenCalls {
    var next = 0
    var count = 0
    var tickets: [JSON: [Int: CallQueue.Ticket]] = [:]
    /// Calls that ended before their tickets were noted.
    var early: Set<Int> = []
  }

  /// Creates a connection.
  ///
  /// - Parameters:
  ///   - server: The server that answers.
  ///   - write: Writes all bytes to the client, on a thread of its own; an error ends the connection.
  package init(_ server: MCPServer, write: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.server = server
    let ending = EndSignal()
    self.ending = ending
    output = OutputQueue(write: write) { ending.come() }
  }

  /// Reads messages and answers them until the input ends, the client no longer reads, or the task is cancelled.
  ///
  /// Calls that run at the end of the input have a moment to be answered. The thread that reads is left behind when it waits
  /// for input.
  /// - Parameter read: Reads the next bytes, on a thread of its own; none at the end.
  package func run(reading read: @escaping @Sendable () throws -> [UInt8]) async {
    _ = WorkerThread(name: "keepsake-read") { [weak self, ending] in
      var lines = MessageLines()
      while let bytes = try? read(), !bytes.isEmpty {
        guard let self else { return }
        lines.take(bytes, take)
      }
      if let self { lines.finish(take) }
      ending.come()
    }
    await ending.wait()
    let deadline = Instant.now.advanced(by: Task.isCancelled ? .zero : Self.grace)
    await finish(until: deadline)
  }

  @concurrent
  private func finish(until deadline: Instant) async {
    _ = open.wait(until: deadline) { $0.count == 0 ? true : nil }
    // The server may have other connections, whose calls go on.
    for ticket in open.withLock({ open in open.tickets.values.flatMap(\.values) }) {
      server.calls.cancel(ticket)
    }
    output.drain(until: deadline)
    output.end()
  }

  private func take(_ line: MessageLines.Line) {
    output.waitForRoom()
    switch line {
    case .tooLong:
      let error = ProtocolError(
        .notARequest, "The message is larger than \(ClientLimits.message) bytes.")
      send(Answer.error(error, id: nil))
    case .message(let bytes):
      let step = state.withLock { server.step(for: bytes, in: &$0) }
      take(step) { [weak self] answer in if let answer { self?.send(answer) } }
    }
  }

  private func take(_ step: Step, then: @escaping @Sendable ([UInt8]?) -> Void) {
    switch step {
    case .nothing: then(nil)
    case .answer(let bytes): then(bytes)
    case .cancel(let id):
      for ticket in open.withLock({ Array(($0.tickets[id] ?? [:]).values) }) {
        server.calls.cancel(ticket)
      }
      then(nil)
    case .call(let call): submit(call, then: then)
    case .batch(let steps):
      let batch = Batch(steps.count) { then($0) }
      for (index, step) in steps.enumerated() { take(step) { batch.take($0, at: index) } }
    }
  }

  private func submit(_ call: Call, then: @escaping @Sendable ([UInt8]?) -> Void) {
    let id = call.id
    let number = open.withLock { open in
      open.next += 1
      open.count += 1
      return open.next
    }
    let ticket = server.calls.submit(call, notify: { [weak self] in self?.send($0) }) {
      [weak self] answer in
      self?.open.withLock { open in
        if open.tickets[id]?.removeValue(forKey: number) == nil { open.early.insert(number) }
        if open.tickets[id]?.isEmpty == true { open.tickets[id] = nil }
      }
      then(answer)
      self?.open.withLock { $0.count -= 1 }
      self?.open.broadcast()
    }
    open.withLock { open in
      if open.early.remove(number) == nil { open.tickets[id, default: [:]][number] = ticket }
    }
  }

  /// Sends a message as one line, with one write.
  private func send(_ message: [UInt8]) { output.send(message + [0x0A]) }
}
