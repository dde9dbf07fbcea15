/// The first line of a request.
struct RequestLine {
  let method: HTTPMethod
  let isHeadOnly: Bool
  let isOldVersion: Bool
  let target: String
  let path: [String]
  let query: [HTTPRequestHead.QueryItem]

  init(_ line: ArraySlice<UInt8>, limits: HTTPLimits) throws(HTTPRefusal) {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[1].isEmpty, (1...24).contains(parts[0].count),
      parts[0].allSatisfy({ (0x41...0x5A).contains($0) || $0 == 0x2D || $0 == 0x5F })
    else { throw HTTPRefusal(.badRequest, "The first line is no request.") }
    if parts[1].count > limits.targetBytes {
      throw HTTPRefusal(.targetTooLong, "The address is too long.")
    }
    isOldVersion = try Self.isOldVersion(parts[2])
    let name = String(decoding: parts[0], as: UTF8.self)
    isHeadOnly = name == "HEAD"
    guard let method = isHeadOnly ? .get : HTTPMethod(rawValue: name) else {
      throw HTTPRefusal(.notImplemented, "The method is unknown here.")
    }
    self.method = method
    let target = try RequestTarget(parts[1])
    self.target = String(decoding: parts[1], as: UTF8.self)
    path = target.path
    query = target.query
  }

  private static func isOldVersion(_ text: ArraySlice<UInt8>) throws(HTTPRefusal) -> Bool {
    let bytes = Array(text)
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), (0x30...0x39).contains(bytes[5]),
      bytes[6] == 0x2E, (0x30...0x39).contains(bytes[7])
    else { throw HTTPRefusal(.badRequest, "The first line is no request.") }
    switch (bytes[5], bytes[7]) {
    case (0x31, 0x31): return false
    case (0x31, 0x30): return true
    default: throw HTTPRefusal(.versionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken.")
    }
  }
}
