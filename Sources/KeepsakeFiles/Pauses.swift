#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The waits between attempts at something that will soon be possible: short ones first, at random, so that those who
/// began together don't keep colliding.
public struct Pauses {
  private let deadline: Instant
  private var longest = shortest

  private static let shortest: Int64 = 200_000
  private static let limit: Int64 = 5_000_000

  /// Waits until the deadline, all in all.
  public init(until deadline: Instant) { self.deadline = deadline }

  /// Blocks the thread for a while, at most 5 milliseconds; returns false, at once, when the deadline has passed.
  public mutating func wait() -> Bool {
    let left = deadline.nanoseconds - Instant.now.nanoseconds
    if left <= 0 { return false }
    var pause = timespec(nanoseconds: min(left, .random(in: Self.shortest...longest)))
    unsafe nanosleep(&pause, nil)
    longest = min(Self.limit, longest * 2)
    return true
  }
}
