/// How long an object store is asked again, and how long one request may take.
package struct ObjectPatience: Sendable {
  /// The time after which no further attempt is begun.
  package var total: Duration = .seconds(60)
  /// The longest that the first pause may be. Each pause is random, and its limit is twice the one before.
  package var firstPause: Duration = .milliseconds(100)
  /// The limit of all pauses, but not of those that the server asks for.
  package var longestPause: Duration = .seconds(5)
  /// The time that one request may take, beside what its bytes need on a slow line.
  package var request: Duration = .seconds(30)
  /// The attempts at a server that can't be reached at all.
  package var attemptsUnreached = 3

  package init() {}

  /// The time that a request with so many bytes in both directions may take.
  func timeout(bytes: Int) -> Duration { request + .seconds(bytes / (32 << 10)) }

  /// A random pause before another attempt.
  /// - Parameter attempt: The number of attempts that were made.
  func pause(after attempt: Int) -> Duration {
    let limit = min(longestPause, firstPause * (1 << min(attempt - 1, 20)))
    return limit * Double.random(in: 0.5...1)
  }
}
