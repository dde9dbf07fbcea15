import KeepsakeFiles

/// The connection of one client.
///
/// It belongs to one thread at a time: to the reception while it waits for something, and to a worker while a request
/// is answered.
final class Connection: @unchecked Sendable {
  // `@unchecked`: only the thread that has the connection touches it, and it is handed over through a lock.
  let socket: StreamSocket
  private let register: ConnectionRegister
  /// Bytes that were received, and are not used up.
  var input: [UInt8] = []
  var parser: HeadParser
  /// A request that is whole, and waits for a worker.
  var head: HTTPRequestHead?
  /// The answer that is being sent.
  var outgoing: Outgoing?
  var phase = Phase.head
  /// Whether it is counted among the event streams.
  var isStream = false
  /// The number of requests so far.
  var requests = 0
  /// The moment at which the reception gives up waiting; nil where it does not.
  var deadline: Instant?
  /// The moment at which waiting began.
  var since = Instant.now

  /// The thing that the connection waits for while it is at the reception.
  enum Phase {
    /// A request, or the rest of one.
    case head
    /// Room to send more of the answer.
    case sending
    /// Events, which are written to the stream, and bytes of it that were taken, of which some were sent.
    case events(EventStream, [UInt8], sent: Int)
    /// The client's end, after the last answer; so many more bytes of it are thrown away.
    case ending(Int)
  }

  init(_ socket: StreamSocket, limits: HTTPLimits, register: ConnectionRegister) {
    self.socket = socket
    self.register = register
    parser = HeadParser(limits: limits)
    register.add(socket)
  }

  deinit {
    if case .events(let stream, _, _) = phase { stream.finish(.clientLeft) }
    if case .events(let stream) = outgoing?.content { stream.finish(.clientLeft) }
    register.remove(socket, isStream: isStream)
  }

  /// Looks whether a whole head is in the input, and takes it out of there.
  func takeHead(limits: HTTPLimits) throws(HTTPRefusal) -> Bool {
    guard let (head, length) = try parser.read(input) else { return false }
    self.head = head
    if length == input.count { input = [] } else { input.removeFirst(length) }
    parser = HeadParser(limits: limits)
    requests += 1
    return true
  }
}
