import Keepsake

/// Writes the answers to requests, each a message of one line.
enum Answer {
  /// How long a client may keep a result without asking again, in milliseconds.
  enum Lifetime: Int64 {
    case none = 0
    /// For what can't change while the program runs, or never.
    case long = 300_000
  }

  /// Writes the result of a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - server: The server's name and version.
  ///   - lifetime: How long the result is valid, for the methods whose results say so.
  ///   - body: Writes the members of the result.
  static func result(
    to request: Request, from server: ServerInfo, lifetime: Lifetime? = nil,
    _ body: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    let revision = request.revision
    return message(id: request.id) { writer in
      writer.key("result")
      writer.beginObject()
      if revision.has(.resultType) { writer.member("resultType", "complete") }
      body(&writer)
      if let lifetime, revision.has(.caching) {
        writer.member("ttlMs", lifetime.rawValue)
        // Whatever is stored is one person's own.
        writer.member("cacheScope", "private")
      }
      if revision.has(.serverInfo) {
        writer.key("_meta")
        writer.beginObject()
        writer.key("io.modelcontextprotocol/serverInfo")
        server.write(to: &writer)
        writer.endObject()
      }
      writer.endObject()
    }
  }

  /// Writes an error; without an id if the request's could not be read.
  static func error(_ error: ProtocolError, id: JSON?) -> [UInt8] {
    message(id: id) { writer in
      writer.key("error")
      writer.beginObject()
      writer.member("code", error.code.rawValue)
      writer.member("message", error.message)
      writer.member("data", error.data)
      writer.endObject()
    }
  }

  /// Writes a notice, which has no id.
  static func notice(_ method: StaticString, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    message(id: nil) { writer in
      writer.key("method")
      writer.string("\(method)")
      writer.key("params")
      writer.beginObject()
      body(&writer)
      writer.endObject()
    }
  }

  private static func message(id: JSON?, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(reserving: 1024)
    writer.beginObject()
    writer.member("jsonrpc", "2.0")
    writer.member("id", id)
    body(&writer)
    writer.endObject()
    return escapingSeparators(writer.bytes)
  }

  /// Escapes U+2028 and U+2029, at which some programs part lines; in JSON they stand in strings only.
  static func escapingSeparators(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(0xE2) else { return json }
    var result: [UInt8] = []
    result.reserveCapacity(json.count + 16)
    var index = 0
    while index < json.count {
      if json[index] == 0xE2, index + 2 < json.count, json[index + 1] == 0x80,
        json[index + 2] == 0xA8 || json[index + 2] == 0xA9
      {
        result += Array((json[index + 2] == 0xA8 ? "\\u2028" : "\\u2029").utf8)
        index += 3
      } else {
        result.append(json[index])
        index += 1
      }
    }
    return result
  }
}
