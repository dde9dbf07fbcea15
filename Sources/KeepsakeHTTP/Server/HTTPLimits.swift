/// The limits that keep one client from taking what others need.
package struct HTTPLimits: Sendable, Hashable {
  /// The most threads that answer requests. Connections that wait for bytes have none.
  package var threads = 64
  /// The most open connections. Above that the one that has been idle longest is closed; where none is idle, a new one
  /// is refused with 503.
  package var connections = 512
  /// The most event streams, which count as connections as well. Above that one is refused with 503.
  package var eventStreams = 256
  /// The most bytes of a request's head. Above that it is refused with 431.
  package var headBytes = 16 << 10
  /// The most header fields. Above that the request is refused with 431.
  package var fields = 100
  /// The most bytes of a request's target. Above that it is refused with 414.
  package var targetBytes = 8 << 10
  /// The time for a whole head, from its first byte on. After that the request is refused with 408.
  package var headTime = Duration.seconds(10)
  /// The time that a connection may stay open without a request.
  package var idleTime = Duration.seconds(30)
  /// The least bytes in a second that a client has to send of a body, or to take of an answer.
  package var leastRate = 1024
  /// The time over which the least rate is measured. A client that does not move at all is given up after it.
  package var patience = Duration.seconds(30)
  /// The most requests on one connection.
  package var requestsPerConnection = 10_000
  /// The time between two signs of life on an event stream on which nothing else happens.
  package var heartbeat = Duration.seconds(15)

  package init() {}
}
