/// Something that is there to be got: bytes or a file, with a tag, of which a client may ask for a part.
package struct HTTPContent: Sendable {
  /// Where the bytes come from.
  package enum Source: Sendable {
    case bytes([UInt8])
    /// A file with its size.
    case file(HTTPFile, size: Int64)
  }

  package let source: Source
  /// The tag of these bytes, such as their digest; nil where there is none.
  package let tag: HTTPTag?
  /// The fields of the answer beside those about the tag, the size and the range: type, caching, policies.
  package let fields: HTTPFields

  package init(_ source: Source, tag: HTTPTag? = nil, fields: HTTPFields) {
    self.source = source
    self.tag = tag
    self.fields = fields
  }

  /// The answer to a request: 200 with the whole, 206 with a part, 304 where the client has it already, 412 where it
  /// wants another version, or 416 where it asks for a part that is not there.
  package func response(to head: HTTPRequestHead) -> HTTPResponse {
    var fields = fields
    if let tag { fields["ETag"] = tag.text }
    fields["Accept-Ranges"] = "bytes"
    if let wanted = head.fields["If-Match"], !(tag?.isStronglyIn(wanted) ?? (wanted == "*")) {
      return HTTPResponse(.preconditionFailed)
    }
    if let known = head.fields["If-None-Match"], tag?.isIn(known) ?? (known == "*") {
      // The fields that describe the body are not sent without it.
      fields["Content-Type"] = nil
      fields["Content-Disposition"] = nil
      return HTTPResponse(.notModified, fields)
    }
    switch HTTPRange(head.fields, size: size, tag: tag) {
    case .whole: return HTTPResponse(.ok, fields, body: body(0..<size))
    case .part(let range):
      fields["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
      return HTTPResponse(.partialContent, fields, body: body(range))
    case .unsatisfiable:
      return HTTPResponse(.rangeNotSatisfiable, ["Content-Range": "bytes */\(size)"])
    }
  }

  /// The size in bytes.
  package var size: Int64 {
    switch source {
    case .bytes(let bytes): Int64(bytes.count)
    case .file(_, let size): size
    }
  }

  private func body(_ range: Range<Int64>) -> HTTPResponse.Body {
    switch source {
    case .bytes(let bytes):
      range.count == bytes.count
        ? .bytes(bytes) : .bytes(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    case .file(let file, _): .file(file, range)
    }
  }
}
