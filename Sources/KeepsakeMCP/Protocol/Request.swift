import Keepsake

/// A request, with the revision in whose words it is answered.
struct Request: Sendable {
  let id: JSON
  let method: String
  let parameters: JSON
  let revision: Revision
  /// The name that the client gives itself; it proves nothing.
  let client: String?

  /// The token that notices of progress are sent with; nil if the client wants none.
  var progressToken: JSON? {
    guard let token = parameters["_meta"]?["progressToken"], token.isRequestID else { return nil }
    return token
  }

  init(_ envelope: Message.Envelope, revision: Revision, client: String?) {
    id = envelope.id
    method = envelope.method
    parameters = envelope.parameters
    self.revision = revision
    self.client = client
  }
}
