#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Random numbers that are drawn from the system some at a time, for identifiers that are made one by one.
///
/// For what has to be unique, not for what has to stay secret: numbers lie in memory before they are given out.
package enum RandomPool {
  private struct Pool {
    var numbers: [UInt64] = []
    /// The process that drew them. After a fork both have them in memory, and the child must not use them.
    var owner: pid_t = 0
  }

  private static let pool = Locked(Pool())
  private static let size = 32

  /// 128 bits that nobody was given before.
  package static func next() -> (high: UInt64, low: UInt64) {
    pool.withLock { pool in
      let process = getpid()
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
      bytes[(number * 8)..<(number * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
