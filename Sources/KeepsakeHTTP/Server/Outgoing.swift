import KeepsakeFiles

/// An answer on its way to the client. It remembers how far it is, so that it can be left and gone on with.
final class Outgoing {
  enum Content {
    case none
    case bytes([UInt8])
    case file(HTTPFile, Range<Int64>)
    case pieces(@Sendable () async throws -> [UInt8]?)
    case events(EventStream)
  }

  /// The result of sending as much as possible.
  enum Progress {
    case done
    /// The client takes no more at the moment.
    case stalled
    /// The client is gone or too slow, or the content could not be got.
    case failed
  }

  private var head: [UInt8]
  let content: Content
  /// Whether the connection ends after this.
  let closes: Bool
  private let isChunked: Bool
  /// The number of bytes that were sent of the head with the bytes, or of the head and the file.
  private var sent: Int64 = 0
  /// The piece that is being sent, and whether it is the last.
  private var piece: [UInt8] = []
  private var isLastPiece = false
  private var isFirstPiece = true
  private(set) var gate: RateGate

  init(
    head: [UInt8], content: Content, closes: Bool, isChunked: Bool, limits: HTTPLimits
  ) {
    self.head = head
    self.content = content
    self.closes = closes
    self.isChunked = isChunked
    gate = RateGate(limits)
  }

  /// Sends until all is sent, or the client takes no more.
  /// - Parameters:
  ///   - socket: The connection's socket.
  ///   - getNext: Asks for the next piece; throws where that fails.
  func advance(
    _ socket: StreamSocket,
    getNext: (@escaping @Sendable () async throws -> [UInt8]?) throws -> [UInt8]?
  ) -> Progress {
    while true {
      let outcome: StreamSocket.Outcome
      switch content {
      case .none, .events:
        if sent >= head.count { return .done }
        outcome = socket.send(head, from: Int(sent))
      case .bytes(let bytes):
        if sent >= head.count + bytes.count { return .done }
        outcome = socket.send(head, bytes, from: Int(sent))
      case .file(let file, let range):
        if sent >= Int64(head.count) + Int64(range.count) { return .done }
        outcome = send(file, range, socket)
      case .pieces(let next):
        if sent >= head.count + piece.count {
          if isLastPiece { return .done }
          do { try take(getNext(next)) } catch { return .failed }
          continue
        }
        outcome = socket.send(head, piece, from: Int(sent))
      }
      switch outcome {
      case .moved(let count):
        sent += Int64(count)
        gate.note(count)
      case .wouldWait: return gate.isTooSlow() ? .failed : .stalled
      case .ended: return .failed
      }
    }
  }

  private func send(
    _ file: HTTPFile, _ range: Range<Int64>, _ socket: StreamSocket
  ) -> StreamSocket.Outcome {
    if sent < head.count { return socket.send(head, from: Int(sent), isMore: !range.isEmpty) }
    let done = sent - Int64(head.count)
    let count = Int(min(Int64(range.count) - done, 16 << 20))
    return socket.send(file.descriptor, at: range.lowerBound + done, count: count)
  }

  /// Frames the next piece. The head was sent before it, and is no longer needed.
  private func take(_ next: [UInt8]?) {
    if let next, next.isEmpty { return }
    head = []
    sent = 0
    isLastPiece = next == nil
    piece = next ?? []
    // The client took all there was, so it was not the client that kept us waiting.
    gate.reset()
    guard isChunked else { return }
    // The end of a piece is sent with the beginning of the next.
    head += (isFirstPiece ? "" : "\r\n").utf8
    head += "\(String(piece.count, radix: 16))\r\n\(isLastPiece ? "\r\n" : "")".utf8
    isFirstPiece = false
  }
}
