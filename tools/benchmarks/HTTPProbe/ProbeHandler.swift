import KeepsakeFiles
import KeepsakeHTTP

/// Answers the requests of the probe.
struct ProbeHandler: HTTPHandler {
  private let file: HTTPFile
  private let size: Int64
  private let streams = Locked<[EventStream]>([])

  init(file path: String) throws {
    let descriptor = try FileDescriptor(opening: path)
    size = try descriptor.size
    file = HTTPFile(descriptor)
  }

  func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .accept(bodyLimit: 1 << 20) }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    let path = request.head.path
    switch (request.head.method, path.first) {
    case (.get, "bytes"):
      let count = path.count > 1 ? Int(path[1]) ?? 0 : 0
      return HTTPResponse(
        .ok, ["Content-Type": "application/octet-stream"],
        body: .bytes([UInt8](repeating: 0x61, count: min(count, 1 << 24))))
    case (.get, "file"):
      let content = HTTPContent(
        .file(file, size: size), tag: HTTPTag("file"),
        fields: ["Content-Type": "application/octet-stream"])
      return content.response(to: request.head)
    case (.get, "events"):
      let stream = EventStream()
      streams.withLock { $0.append(stream) }
      return HTTPResponse(.ok, ["Content-Type": "text/event-stream"], body: .events(stream))
    case (.post, "events"):
      let text = String(decoding: request.bytes, as: UTF8.self)
      let count = streams.withLock { streams in
        streams.removeAll { !$0.send(data: text) }
        return streams.count
      }
      return HTTPResponse(text: "\(count)\n")
    default: return HTTPResponse(.notFound)
    }
  }
}
