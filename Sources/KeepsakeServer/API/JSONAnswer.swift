import Keepsake
import KeepsakeHTTP

extension HTTPResponse {
  /// An answer whose body is a value of JSON that the closure writes. Foreign JSON in it stays on one line.
  static func json(
    _ status: HTTPStatus = .ok, to head: HTTPRequestHead, _ write: (inout JSONWriter) throws -> Void
  ) rethrows -> HTTPResponse {
    var writer = JSONWriter(reserving: 4096)
    try write(&writer)
    return HTTPResponse(
      status, ["Content-Type": "application/json"], body: .bytes(writer.bytes)
    ).gzipped(for: head)
  }

  /// An answer with a page of a list, and the cursor of the next page.
  static func page<Element>(
    _ name: StaticString, _ elements: [Element], next: String?, to head: HTTPRequestHead,
    _ write: (Element, inout JSONWriter) -> Void
  ) -> HTTPResponse {
    json(to: head) { writer in
      writer.beginObject()
      writer.key(name)
      writer.array(elements, write)
      writer.fixed("next", next)
      writer.endObject()
    }
  }
}
