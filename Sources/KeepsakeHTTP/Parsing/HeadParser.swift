/// Reads the head of a request from bytes that arrive in pieces.
///
/// It is strict: what two programs could read in two ways is refused. It looks at each byte once, and finds a mistake
/// at the end of its line at the latest, wherever the pieces begin and end.
package struct HeadParser {
  private let limits: HTTPLimits
  /// The number of bytes that were looked at.
  private var position = 0
  private var lineStart = 0
  private var line: RequestLine?
  private var fields = HTTPFields()

  package init(limits: HTTPLimits) { self.limits = limits }

  /// Whether a byte of a request has been seen.
  package var hasBegun: Bool { position > 0 }

  /// Looks at the bytes that are new.
  /// - Parameter bytes: Every byte since the beginning of the head, those of earlier calls as well.
  /// - Returns: The head and its length in bytes; nil where more is needed.
  /// - Throws: `HTTPRefusal`, the answer that the request gets. The parser is not used again after that.
  package mutating func read(
    _ bytes: [UInt8]
  ) throws(HTTPRefusal) -> (head: HTTPRequestHead, length: Int)? {
    while position < bytes.count {
      if position >= limits.headBytes { throw tooLarge }
      let byte = bytes[position]
      let isAfterReturn = position > lineStart && bytes[position - 1] == 0x0D
      position += 1
      if byte == 0x0A {
        guard isAfterReturn else {
          throw HTTPRefusal(.badRequest, "A line of the header ends without CR.")
        }
        let range = lineStart..<(position - 2)
        lineStart = position
        if try take(bytes[range]) { return (try finished(), position) }
      } else if isAfterReturn {
        throw HTTPRefusal(.badRequest, "The header has a CR without LF.")
      } else if byte < 0x20 && byte != 0x0D && byte != 0x09 || byte == 0x7F {
        throw HTTPRefusal(.badRequest, "The header has a control character in it.")
      }
      // A method and a version have at most 32 bytes beside the target.
      if line == nil, position - lineStart > limits.targetBytes + 32 {
        throw HTTPRefusal(.targetTooLong, "The address is too long.")
      }
    }
    return nil
  }

  /// Takes a whole line without its end; returns whether the head ends with it.
  private mutating func take(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> Bool {
    if self.line == nil {
      self.line = try RequestLine(line, limits: limits)
      return false
    }
    if line.isEmpty { return true }
    if fields.all.count >= limits.fields { throw tooLarge }
    try takeField(line)
    return false
  }

  private mutating func takeField(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) {
    if line.first == 0x20 || line.first == 0x09 {
      throw HTTPRefusal(.badRequest, "A header field goes on in another line.")
    }
    guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else {
      throw HTTPRefusal(.badRequest, "A line of the header has no name and colon.")
    }
    let name = line[..<colon]
    guard name.allSatisfy(Self.isNameByte) else {
      throw HTTPRefusal(
        .badRequest, "The name of a header field has a character that it can't have.")
    }
    var value = line[(colon + 1)...]
    while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
    let text = String(decoding: name, as: UTF8.self)
    if Self.singles.contains(text.lowercased()), !fields.values(of: text).isEmpty {
      throw HTTPRefusal(.badRequest, "A header field stands twice that may stand once.")
    }
    fields.append(text, String(decoding: value, as: UTF8.self))
  }

  /// Fields of which two would mean two things.
  private static let singles: Set<String> = [
    "host", "content-length", "content-type", "content-encoding", "content-range", "authorization",
    "cookie", "origin", "referer", "range", "if-range", "expect", "user-agent", "last-event-id",
    "date", "if-modified-since", "if-unmodified-since", "sec-fetch-site", "sec-fetch-mode",
    "sec-fetch-dest", "mcp-session-id", "mcp-protocol-version",
  ]

  private var tooLarge: HTTPRefusal {
    HTTPRefusal(.fieldsTooLarge, "The header is too large.")
  }

  /// Returns whether a byte may be in the name of a field (RFC 9110, `tchar`).
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
    default: false
    }
  }
}

extension HeadParser {
  /// The head, when all of its lines are there.
  private func finished() throws(HTTPRefusal) -> HTTPRequestHead {
    guard let line else { throw HTTPRefusal(.badRequest, "The request has no first line.") }
    guard let host = fields["Host"], let authority = HTTPAuthority(host) else {
      throw HTTPRefusal(.badRequest, "The field Host is missing or malformed.")
    }
    let length = try contentLength(of: line)
    if let encoding = fields["Content-Encoding"], !HTTPFields.isSame(encoding, "identity") {
      throw HTTPRefusal(.unsupportedMediaType, "A compressed body is not taken. Send it as it is.")
    }
    let expectation = fields["Expect"]
    if let expectation, !HTTPFields.isSame(expectation, "100-continue") {
      throw HTTPRefusal(.expectationFailed, "Only 100-continue may be expected.")
    }
    let isClosed = fields.list("Connection").contains { HTTPFields.isSame($0, "close") }
    return HTTPRequestHead(
      method: line.method, isHeadOnly: line.isHeadOnly, target: line.target, path: line.path,
      query: line.query, authority: authority, fields: fields, contentLength: length,
      expectsContinue: expectation != nil && !line.isOldVersion,
      keepsAlive: !isClosed && !line.isOldVersion, isOldVersion: line.isOldVersion)
  }

  private func contentLength(of line: RequestLine) throws(HTTPRefusal) -> Int64 {
    let text = fields["Content-Length"]
    if fields["Transfer-Encoding"] != nil {
      if text != nil || line.isOldVersion {
        throw HTTPRefusal(.badRequest, "The size of the body is said in two ways.")
      }
      throw HTTPRefusal(.notImplemented, "A body in pieces is not taken. Send Content-Length.")
    }
    guard let text else { return 0 }
    guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw HTTPRefusal(.badRequest, "Content-Length is no number, or too large.") }
    let length = text.utf8.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
    if length > 0, line.method == .get {
      throw HTTPRefusal(.badRequest, "GET and HEAD take no body.")
    }
    return length
  }
}
