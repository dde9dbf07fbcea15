import KeepsakeFiles

/// The bytes of an artifact at a hub, piece by piece: one piece is on its way at a time, however slow the taker is.
struct HubPieces: AsyncSequence, Sendable {
  let hub: any Hub
  let artifact: Artifact.ID
  let fetched: Locked<(count: Int, bytes: Int64)>

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  final class Iterator: AsyncIteratorProtocol {
    private let pieces: HubPieces
    private let way = Way()
    private var hasBegun = false

    init(_ pieces: HubPieces) { self.pieces = pieces }

    deinit { way.stop() }

    func next() async throws -> [UInt8]? {
      if !hasBegun {
        hasBegun = true
        let (pieces, way) = (pieces, way)
        Task {
          do {
            try await pieces.hub.get(pieces.artifact) { try way.put($0) }
            pieces.fetched.withLock { $0.count += 1 }
            way.end(nil)
          } catch { way.end(error) }
        }
      }
      let piece = try await way.take()
      if let piece { pieces.fetched.withLock { $0.bytes += Int64(piece.count) } }
      return piece
    }
  }
}

/// The way of pieces from a thread of the hub, which may block, to a task, which may not.
private final class Way: Sendable {
  private struct State {
    var piece: [UInt8]?
    var isStopped = false
    /// The end of the pieces, once it is known.
    var end: Result<Void, any Error>?
    var taker: CheckedContinuation<[UInt8]?, any Error>?

    /// What there is for the taker; nil if it has to wait.
    mutating func next() -> Result<[UInt8]?, any Error>? {
      if let piece {
        self.piece = nil
        return .success(piece)
      }
      return end?.map { nil }
    }
  }

  private let state = Monitor(State())

  /// Hands a piece over, when the one before was taken.
  func put(_ piece: [UInt8]) throws {
    let mayPut = state.wait { state -> Bool? in
      if state.isStopped { return false }
      return state.piece == nil ? true : nil
    }
    guard mayPut == true else { throw CancellationError() }
    deliver { $0.piece = piece }
  }

  /// Ends the pieces.
  func end(_ error: (any Error)?) {
    deliver { $0.end = error.map { .failure($0) } ?? .success(()) }
  }

  /// Takes the next piece; nil at the end.
  func take() async throws -> [UInt8]? {
    defer { state.signal() }
    return try await withCheckedThrowingContinuation { continuation in
      let next = state.withLock { state -> Result<[UInt8]?, any Error>? in
        let next = state.next()
        if next == nil { state.taker = continuation }
        return next
      }
      if let next { continuation.resume(with: next) }
    }
  }

  /// Wants no more pieces.
  func stop() {
    state.withLock { $0.isStopped = true }
    state.signal()
  }

  private func deliver(_ change: @Sendable (inout State) -> Void) {
    let (taker, next) = state.withLock {
      state -> (CheckedContinuation<[UInt8]?, any Error>?, Result<[UInt8]?, any Error>?) in
      change(&state)
      guard let taker = state.taker, let next = state.next() else { return (nil, nil) }
      state.taker = nil
      return (taker, next)
    }
    if let taker, let next { taker.resume(with: next) }
    // The piece was taken at once, so the next one may come.
    if taker != nil { state.signal() }
  }
}
