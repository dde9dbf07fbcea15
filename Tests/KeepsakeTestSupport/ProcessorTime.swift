#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How long a body keeps a processor busy on the thread that runs it: the shortest of a few attempts.
///
/// However many others want the processor too, this is the work that was done, and not the time that went by.
package func processorTime(attempts: Int = 3, of body: () throws -> Void) rethrows -> Duration {
  var least = Duration.seconds(Int64.max)
  for _ in 0..<attempts {
    let before = processorTimeOfThread()
    try body()
    least = min(least, processorTimeOfThread() - before)
  }
  return least
}

func processorTimeOfThread() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
