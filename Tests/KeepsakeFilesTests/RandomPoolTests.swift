import KeepsakeFiles
import Testing

@Suite("The pool of random numbers")
struct RandomPoolTests {
  @Test func `never gives two threads the same number`() {
    let seen = Locked<Set<UInt64>>([])
    let threads = (0..<4).map { number in
      WorkerThread(name: "pool \(number)") {
        for _ in 0..<500 {
          let (high, low) = RandomPool.next()
          seen.withLock {
            $0.insert(high)
            $0.insert(low)
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(seen.withLock { $0.count } == 4000)
  }
}
