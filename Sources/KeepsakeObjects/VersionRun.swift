/// The versions of one session as a listing gives them, the newest first, and the numbers that it leaves out.
struct VersionRun {
  /// The most missing numbers that are told. One is enough to know that something is gone.
  private static let limit = 64

  /// The newest version of the listing; nil before there was one.
  private(set) var newest: Int64?
  /// The oldest version so far.
  private(set) var lowest: Int64?
  /// The numbers that should have been in the listing, and were not.
  private(set) var missing: [Int64] = []

  /// Adds the next version, which is older than the one before.
  mutating func add(_ version: Int64) {
    if newest == nil { newest = version }
    if let lowest { skip(from: version + 1, to: lowest - 1) }
    lowest = version
  }

  /// Ends the listing, which had to come down to a version, or below it.
  mutating func end(at version: Int64) {
    if let lowest { skip(from: version, to: lowest - 1) }
  }

  private mutating func skip(from first: Int64, to last: Int64) {
    guard first <= last else { return }
    missing += (first...min(last, first + Int64(Self.limit))).prefix(
      max(0, Self.limit - missing.count))
  }
}
