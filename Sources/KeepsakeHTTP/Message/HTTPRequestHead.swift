/// All of a request but its body.
package struct HTTPRequestHead: Sendable, Hashable {
  /// The method; that of a HEAD request is `get`.
  package let method: HTTPMethod
  /// Whether only the header of the answer is wanted (HEAD). The server leaves the body out.
  package let isHeadOnly: Bool
  /// The target as it was sent. It is hostile text: it is for looking at, not for routing.
  package let target: String
  /// The segments of the path, each percent-decoded once. The root is an empty list, and `/a/` is `["a", ""]`.
  ///
  /// No segment is `.` or `..`, or has a slash or a NUL in it.
  package let path: [String]
  /// The items of the query in their order, decoded once. A plus sign is a space, as forms send it.
  package let query: [QueryItem]
  /// The host and port that the client meant.
  package let authority: HTTPAuthority
  /// Every header field. Those that may stand only once do so.
  package let fields: HTTPFields
  /// The size of the body in bytes; 0 where there is none.
  package let contentLength: Int64
  /// Whether the client waits to be told that it may send the body.
  let expectsContinue: Bool
  /// Whether the client lets the connection stay open after the answer.
  let keepsAlive: Bool
  /// Whether the client speaks HTTP/1.0, which knows no pieces.
  let isOldVersion: Bool

  /// A name and its value in a query.
  package struct QueryItem: Sendable, Hashable {
    package let name: String
    package let value: String
  }

  /// The value of the first query item of a name; nil where there is none.
  package func query(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
