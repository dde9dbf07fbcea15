import Keepsake

/// An answer that says that a message could not be taken as a request, or names something that is not there.
///
/// The message is one sentence without a word of any transcript and without a path. What a model could put right is no such
/// error: it is the result of a tool.
struct ProtocolError: Error, Sendable {
  /// The kinds of errors, by the numbers that the protocol gives them.
  enum Code: Int64, Sendable {
    case notJSON = -32700
    case notARequest = -32600
    case unknownMethod = -32601
    case badParameters = -32602
    case ownFailure = -32603
    /// A resource that is not there, for clients of revisions with a handshake.
    case noResource = -32002
    /// Headers of an HTTP request that are missing, or say something else than its body.
    case headersDiffer = -32020
    case unknownVersion = -32022
  }

  let code: Code
  let message: String
  var data: JSON?

  init(_ code: Code, _ message: String, data: JSON? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  static func unknownMethod(_ name: String) -> ProtocolError {
    ProtocolError(.unknownMethod, "Method not found: \(name.inMessage)")
  }

  static func unknownVersion(_ wanted: String) -> ProtocolError {
    ProtocolError(
      .unknownVersion, "Unsupported protocol version",
      data: [
        "supported": .array(Revision.alternatives(to: wanted).map(JSON.string)),
        "requested": .string(String(wanted.prefix(64))),
      ])
  }

  /// The answer to a request that neither says its version nor follows a handshake.
  static let noVersion = ProtocolError(
    .badParameters,
    "The request has no '_meta' member '\(MetaKey.version)', and no 'initialize' came before it; either is enough.",
    data: ["supported": .array(Revision.offered.map(JSON.string))])
}

extension String {
  /// A name that a client sent, short and plain enough to be repeated to it.
  var inMessage: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.prefix(64).map {
          $0.isASCII && $0.value >= 0x20 && $0 != "\u{7F}" ? $0 : "?"
        }))
  }
}
