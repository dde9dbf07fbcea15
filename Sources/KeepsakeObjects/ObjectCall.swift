/// A request as it goes over the network, signed.
package struct ObjectCall: Sendable {
  /// The method of HTTP.
  package let method: String
  /// The whole address, encoded.
  package let url: String
  /// The headers by their names in lower case, without `host`, which the transport sends by itself.
  package let headers: [String: String]
  /// The body.
  package let body: [UInt8]
  /// The most bytes that the answer's body may have.
  package let largestAnswer: Int
  /// The time after which the whole call is given up.
  package let timeout: Duration
}
