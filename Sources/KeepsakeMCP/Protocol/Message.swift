import Keepsake

/// A message of a client, as far as it can be told without its version.
enum Message {
  case request(Envelope)
  /// A message that nobody answers, by its method.
  case notification(method: String, parameters: JSON)
  /// An answer of the client. Nothing is ever asked of it, so there is nothing to do with one.
  case answer
  /// Several messages in one array.
  case batch([JSON])

  /// A request with its id as it was spelled, so that `1` and `"1"` stay what they were.
  struct Envelope {
    let id: JSON
    let method: String
    let parameters: JSON

    /// The value of a member of the request's `_meta`.
    func meta(_ key: String) -> JSON? { parameters["_meta"]?[key] }
  }

  /// Reads the bytes of one message.
  ///
  /// - Throws: A ``ProtocolError``, which is answered without an id, because none could be read.
  init(_ bytes: [UInt8]) throws(ProtocolError) {
    let json: JSON
    do { json = try JSON(validating: bytes) } catch {
      throw ProtocolError(.notJSON, "The message is not JSON.")
    }
    try self.init(json)
  }

  init(_ json: JSON) throws(ProtocolError) {
    if let elements = json.arrayValue {
      self = .batch(elements)
      return
    }
    guard json.kind == .object, json["jsonrpc"] == "2.0" else {
      throw ProtocolError(
        .notARequest, "The message is not an object with \"jsonrpc\": \"2.0\".")
    }
    guard let method = json["method"]?.stringValue else {
      guard json["method"] == nil, json["result"] != nil || json["error"] != nil else {
        throw ProtocolError(.notARequest, "The message has no method.")
      }
      self = .answer
      return
    }
    let parameters = json["params"] ?? [:]
    guard let id = json["id"] else {
      self = .notification(method: method, parameters: parameters)
      return
    }
    guard id.isRequestID else {
      throw ProtocolError(.notARequest, "The message's id is neither a string nor an integer.")
    }
    self = .request(Envelope(id: id, method: method, parameters: parameters))
  }
}

extension JSON {
  /// Whether the value may be the id of a request: a string, or a number without a fraction or an exponent.
  var isRequestID: Bool {
    switch kind {
    case .string: true
    case .number: !text.utf8.contains { $0 != UInt8(ascii: "-") && !(0x30...0x39).contains($0) }
    default: false
    }
  }
}
