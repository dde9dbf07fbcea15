#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The pauses between attempts at something that will soon be possible.
///
/// They begin short, grow, and are random, so that processes that began together do not keep colliding.
package struct Pauses {
  private let deadline: Instant
  private var longest = shortest

  private static let shortest: Int64 = 200_000
  private static let limit: Int64 = 5_000_000

  /// Creates pauses that end at a deadline.
  package init(until deadline: Instant) { self.deadline = deadline }

  /// Blocks the thread for at most 5 milliseconds. Returns false, without blocking, when the deadline has passed.
  package mutating func wait() -> Bool {
    let left = deadline.nanoseconds - Instant.now.nanoseconds
    if left <= 0 { return false }
    var pause = timespec(nanoseconds: min(left, .random(in: Self.shortest...longest)))
    unsafe nanosleep(&pause, nil)
    longest = min(Self.limit, longest * 2)
    return true
  }
}
