/// What carries requests to an object store's server, and answers back.
///
/// A transport tries once, follows no redirection, and knows nothing of what is said.
package protocol ObjectTransport: Sendable {
  /// Sends a request and waits for the whole answer, which may be any status.
  /// - Throws: A ``TransportFault`` where no whole answer came. The server may have done what it was asked for.
  func send(_ call: ObjectCall) async throws(TransportFault) -> ObjectAnswer

  /// Waits for what is under way, and lets go of the connections.
  func close() async
}
