import KeepsakeHTTP

/// Reads bytes as the head of a request to the server.
///
/// Whatever the bytes are, they mean the same in pieces as in one, and a head that is taken keeps what it promises.
enum FuzzedRequest {
  /// The name by which `KEEPSAKE_FUZZ_FORMAT` asks for it.
  static let name = "http-request"

  private enum Result: Equatable {
    case head(HTTPRequestHead, Int)
    case refused(HTTPRefusal)
    case incomplete
  }

  static func read(_ bytes: [UInt8]) {
    let whole = result(of: bytes, inPiecesOf: max(1, bytes.count))
    let size = 1 + Int(bytes.last ?? 0) % 13
    precondition(result(of: bytes, inPiecesOf: size) == whole, "Pieces mean something else")
    guard case .head(let head, let length) = whole else { return }
    precondition(length <= bytes.count && bytes[..<length].suffix(4).elementsEqual("\r\n\r\n".utf8))
    for segment in head.path {
      precondition(
        segment != "." && segment != ".." && !segment.utf8.contains { $0 == 0 || $0 == 0x2F })
    }
    precondition(head.fields.values(of: "host").count == 1)
    precondition(head.contentLength >= 0)
    for field in head.fields.all {
      precondition(!field.value.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
    }
    answer(head)
  }

  /// Has everything look at the fields that looks at fields.
  private static func answer(_ head: HTTPRequestHead) {
    let content = HTTPContent(
      .bytes(Array("0123456789".utf8)), tag: HTTPTag("tag"), fields: ["Content-Type": "text/plain"])
    let response = content.response(to: head)
    if case .bytes(let bytes) = response.body { precondition(bytes.count <= 10) }
    _ = HTTPResponse(text: String(repeating: "a", count: 2000)).gzipped(for: head)
    _ = HTTPCookie.values(of: "a", in: head.fields)
    _ = head.fields["If-Modified-Since"].map { HTTPDate.seconds($0) }
    let name = ContentDisposition.attachment(fileName: head.query("name") ?? head.target)
    precondition(!name.utf8.contains { $0 < 0x20 || $0 > 0x7E })
  }

  private static func result(of bytes: [UInt8], inPiecesOf size: Int) -> Result {
    var parser = HeadParser(limits: HTTPLimits())
    var received: [UInt8] = []
    received.reserveCapacity(bytes.count)
    var end = 0
    while end < bytes.count {
      let next = min(end + size, bytes.count)
      received += bytes[end..<next]
      end = next
      do throws(HTTPRefusal) {
        if let (head, length) = try parser.read(received) { return .head(head, length) }
      } catch { return .refused(error) }
    }
    return .incomplete
  }
}
