import KeepsakeFiles

extension EventStream {
  /// Puts bytes into the buffer, and ends the stream where they don't fit.
  func add(_ bytes: [UInt8]) -> Bool {
    enum Result: Sendable {
      case refused, added, full
    }
    let (result, wake) = state.withLock { state -> (Result, (@Sendable () -> Void)?) in
      guard state.end == nil else { return (.refused, nil) }
      guard state.unsent + bytes.count <= limit else { return (.full, nil) }
      state.waiting += bytes
      state.unsent += bytes.count
      return (.added, state.awaited())
    }
    if result == .full { finish(.tooSlow) }
    wake?()
    return result == .added
  }

  /// Ends the stream for a reason, if it is open, and says so.
  ///
  /// What was sent before still goes out, where the client is there and fast enough.
  func finish(_ reason: End) {
    let (wake, onClose) = state.withLock {
      state -> ((@Sendable () -> Void)?, (@Sendable (End) -> Void)?) in
      guard state.end == nil else { return (nil, nil) }
      state.end = reason
      if reason == .tooSlow || reason == .clientLeft { state.waiting = [] }
      defer { state.onClose = nil }
      return (state.awaited(), state.onClose)
    }
    onClose?(reason)
    wake?()
  }

  /// Takes the stream over for a server, which is told by a call when there is something to do.
  /// - Returns: Whether nobody had taken it over before.
  func attach(_ wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      guard state.wake == nil else { return false }
      state.wake = wake
      return true
    }
  }

  /// Moves the bytes that wait out of the buffer. They count as unsent until ``note(sent:)``.
  func take() -> (bytes: [UInt8], end: End?) {
    state.withLock { state in
      state.isAwaited = false
      defer { state.waiting = [] }
      return (state.waiting, state.end)
    }
  }

  /// Notes that so many bytes were sent.
  func note(sent count: Int) { state.withLock { $0.unsent -= count } }
}

extension EventStream.State {
  /// The call that tells the server, where it was not told already.
  fileprivate mutating func awaited() -> (@Sendable () -> Void)? {
    guard let wake, !isAwaited else { return nil }
    isAwaited = true
    return wake
  }
}
