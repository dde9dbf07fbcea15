/// The answer of an object store's server, whole.
package struct ObjectAnswer: Sendable {
  /// The status of HTTP.
  package let status: Int
  /// The headers by their names in lower case.
  package let headers: [String: String]
  /// The body.
  package let body: [UInt8]

  /// Tells whether the server did what it was asked for.
  var isGood: Bool { (200...299).contains(status) }

  /// The name of the version of the object's bytes, which a later request can name as its condition.
  var etag: String? { headers["etag"] }
}
