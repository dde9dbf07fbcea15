#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Random numbers that are drawn from the system in batches, for identifiers and salts that are made one by one.
///
/// They are meant for values that must be unpredictable and need not stay secret, because they lie in memory before
/// they are used.
package enum RandomPool {
  private struct Pool {
    var numbers: [UInt64] = []
    /// The process that drew the numbers. After a fork the child has them in memory as well, and must not use them.
    var owner: pid_t = 0
  }

  private static let pool = Locked(Pool())
  private static let size = 32

  /// Returns 128 random bits, which are given out once.
  package static func next() -> (high: UInt64, low: UInt64) {
    pool.withLock { pool in
      let process = ProcessNumber.current
      if pool.numbers.count < 2 || pool.owner != process {
        pool.numbers = draw()
        pool.owner = process
      }
      return (pool.numbers.removeLast(), pool.numbers.removeLast())
    }
  }

  private static func draw() -> [UInt64] {
    let bytes = [UInt8](random: size * 8)
    return (0..<size).map { number in
      unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: number * 8, as: UInt64.self)
    }
  }
}
