import KeepsakeFiles

/// Counts the wrong tokens of a short time, so that whoever goes on trying is told to wait.
///
/// Right tokens are never counted and never refused: nobody can lock the owner out by trying. A token has 256 random bits, so this
/// keeps no secret; it keeps a program with an old token from asking thousands of times a second.
final class WrongTokens: Sendable {
  /// The number of wrong tokens in a span after which the answer is another.
  static let most = 100
  private static let span = Duration.seconds(10)

  private struct State {
    var begun: Instant?
    var count = 0
  }

  private let state = Locked(State())

  /// Notes a wrong token.
  ///
  /// - Returns: The number of seconds to wait, if there were too many; else nil.
  func count(at now: Instant = .now) -> Int? {
    state.withLock { state in
      if state.begun.map({ now >= $0.advanced(by: Self.span) }) ?? true {
        state = State(begun: now)
      }
      state.count += 1
      return state.count > Self.most ? Int(Self.span.components.seconds) : nil
    }
  }
}
