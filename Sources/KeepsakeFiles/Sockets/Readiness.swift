#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Sockets and what is awaited of each, to wait for all of them at once.
///
/// It is made anew for each wait, which for a thousand sockets takes as long as a few system calls. So it is the same
/// on each system, unlike epoll and kqueue.
package struct Readiness {
  private var list: [pollfd] = []

  package init() {}

  package mutating func removeAll() { list.removeAll(keepingCapacity: true) }

  /// Waits for bytes that arrive, for room to send, or for both. An end of the connection always counts.
  package mutating func add(_ socket: StreamSocket, reading: Bool, writing: Bool) {
    add(socket.raw, (reading ? POLLIN : 0) | (writing ? POLLOUT : 0))
  }

  /// Waits for a client.
  package mutating func add(_ listener: SocketListener) { add(listener.raw, POLLIN) }

  /// Waits for a call of ``WakeUp/wake()``.
  package mutating func add(_ wakeUp: WakeUp) { add(wakeUp.reading, POLLIN) }

  private mutating func add(_ raw: Int32, _ events: some BinaryInteger) {
    list.append(pollfd(fd: raw, events: Int16(events), revents: 0))
  }

  /// Blocks until something is ready, or the deadline passes. It may also return without a reason.
  package mutating func wait(until deadline: Instant?) {
    var limit: Int32 = -1
    if let deadline {
      let left = deadline.nanoseconds - min(deadline.nanoseconds, Instant.now.nanoseconds)
      // Rounded up, so that a wait does not end before its deadline and begin again.
      limit = Int32(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }
    let found = unsafe poll(&list, nfds_t(list.count), limit)
    if found < 0 { for index in list.indices { list[index].revents = 0 } }
  }

  /// Returns whether anything is ready at the place at which it was added.
  package func isReady(_ index: Int) -> Bool { list[index].revents != 0 }

  /// Waits for one socket; false where the deadline passed.
  package static func wait(
    for socket: StreamSocket, reading: Bool, writing: Bool, until deadline: Instant?
  ) -> Bool {
    var one = Readiness()
    while true {
      one.removeAll()
      one.add(socket, reading: reading, writing: writing)
      one.wait(until: deadline)
      if one.isReady(0) { return true }
      if let deadline, deadline <= Instant.now { return false }
    }
  }
}
