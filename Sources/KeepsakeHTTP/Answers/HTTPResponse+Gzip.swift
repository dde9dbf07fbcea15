import KeepsakeFiles

extension HTTPResponse {
  /// The response compressed, where the client takes that and it pays; else the response as it is.
  ///
  /// It pays for text above 1 KiB. Files and event streams are never compressed, nor is a part of a content. A tag gets
  /// an ending, because the bytes are others; ``HTTPContent`` knows it again. The field `Vary` is added wherever the
  /// answer depends on what the client takes.
  package func gzipped(for head: HTTPRequestHead) -> HTTPResponse {
    guard status == .ok, fields["Content-Encoding"] == nil, isText else {
      return self
    }
    var response = self
    switch body {
    case .bytes(let bytes):
      guard bytes.count > 1024 else { return self }
      response.fields.append("Vary", "Accept-Encoding")
      guard Self.accepts(head), let gzip = Gzip() else { return response }
      let packed = gzip.add(bytes, isLast: true)
      guard packed.count < bytes.count else { return response }
      response.body = .bytes(packed)
    case .pieces(let next):
      response.fields.append("Vary", "Accept-Encoding")
      // HTTP/1.0 gets what the client may cut off anywhere; it is not worth the trouble.
      guard Self.accepts(head), !head.isOldVersion, let gzip = Gzip() else { return response }
      response.body = .pieces(Self.compressed(next, gzip))
    case .none, .file, .events: return self
    }
    response.fields["Content-Encoding"] = "gzip"
    if let text = fields["ETag"], let tag = HTTPTag(String(text.dropFirst().dropLast())) {
      response.fields["ETag"] = tag.compressed.text
    }
    return response
  }

  private static func compressed(
    _ next: @escaping @Sendable () async throws -> [UInt8]?, _ gzip: sending Gzip
  ) -> @Sendable () async throws -> [UInt8]? {
    // The state of the compression; nil when the last piece was given.
    let state = Locked<Gzip?>(gzip)
    return {
      guard state.withLock({ $0 != nil }) else { return nil }
      let piece = try await next()
      return state.withLock { gzip in
        defer { if piece == nil { gzip = nil } }
        return gzip?.add(piece ?? [], isLast: piece == nil)
      }
    }
  }

  private var isText: Bool {
    guard let type = fields["Content-Type"] else { return false }
    let name = HTTPFields.trimmed(type.prefix { $0 != ";" }).lowercased()
    if name == "text/event-stream" { return false }
    return name.hasPrefix("text/") || name.hasSuffix("+json") || name.hasSuffix("+xml")
      || ["application/json", "application/javascript", "application/xml"].contains(name)
  }

  /// Returns whether the client takes gzip, by its field `Accept-Encoding`. A client that says nothing gets no gzip.
  private static func accepts(_ head: HTTPRequestHead) -> Bool {
    var anything = false
    for member in head.fields.list("Accept-Encoding") {
      let parts = member.split(separator: ";").map(HTTPFields.trimmed)
      guard let name = parts.first else { continue }
      let isRefused = parts.dropFirst().contains { part in
        let digits = part.dropFirst(2)
        return part.lowercased().hasPrefix("q=") && digits.allSatisfy { $0 == "0" || $0 == "." }
      }
      if HTTPFields.isSame(name, "gzip") { return !isRefused }
      if name == "*" { anything = !isRefused }
    }
    return anything
  }
}
