import KeepsakeFiles

/// Makes the answer to a request ready to be sent.
struct ResponseHead {
  private let limits: HTTPLimits
  /// The text of the field `Date`, and the second that it is for.
  private var date = (second: Int64(-1), text: "")

  init(limits: HTTPLimits) { self.limits = limits }

  /// Fields that the server says itself.
  private static let own: Set<String> = [
    "date", "content-length", "transfer-encoding", "connection", "keep-alive",
  ]

  /// Makes an answer ready.
  /// - Parameters:
  ///   - response: The answer.
  ///   - head: The request; nil where it could not be read.
  ///   - closes: Whether the connection is to end after the answer, also where the answer would let it stay open.
  mutating func outgoing(
    _ response: HTTPResponse, to head: HTTPRequestHead?, closes: Bool
  ) -> Outgoing {
    var closes = closes || response.status.isError
    var isChunked = false
    var framing = ""
    let hasBody = !response.status.isBodiless
    let content: Outgoing.Content
    switch response.body {
    case .none:
      content = .none
      if hasBody { framing = "Content-Length: 0\r\n" }
    case .bytes(let bytes):
      content = .bytes(bytes)
      framing = "Content-Length: \(bytes.count)\r\n"
    case .file(let file, let range):
      content = .file(file, range)
      framing = "Content-Length: \(range.count)\r\n"
    case .pieces(let next):
      content = .pieces(next)
      isChunked = !(head?.isOldVersion ?? true)
      if isChunked { framing = "Transfer-Encoding: chunked\r\n" } else { closes = true }
    case .events(let stream):
      content = .events(stream)
      // The end of the stream is the end of the connection.
      closes = true
    }
    var text = "HTTP/1.1 \(response.status.code) \(response.status.phrase)\r\nDate: \(now())\r\n"
    for field in response.fields.all where !Self.own.contains(field.name.lowercased()) {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(HeadParser.isNameByte) else { continue }
      text += "\(field.name): \(Self.line(field.value))\r\n"
    }
    if hasBody { text += framing }
    if closes { text += "Connection: close\r\n" }
    text += "\r\n"
    let sends = hasBody && !(head?.isHeadOnly ?? false)
    if !sends, case .events(let stream) = content { stream.finish(.closed) }
    return Outgoing(
      head: Array(text.utf8), content: sends ? content : .none, closes: closes,
      isChunked: isChunked,
      limits: limits)
  }

  /// A value in one line: controls are sent as spaces.
  private static func line(_ value: String) -> String {
    if value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) { return value }
    return String(decoding: value.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }

  private mutating func now() -> String {
    let second = WallClock.seconds
    if second != date.second { date = (second, HTTPDate.text(second)) }
    return date.text
  }
}
