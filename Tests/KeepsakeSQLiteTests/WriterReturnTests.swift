import KeepsakeFiles
import Testing

@testable import KeepsakeSQLite

/// How the writer waits for those whom it has just answered.
struct WriterReturnTests {
  private static func request() -> WriterRequest { WriterRequest(bytes: 0, isExclusive: false) }

  /// Gathers on a thread of its own; the monitor tells when that is over.
  private static func gather(_ count: Int, from queue: WriterQueue) -> Monitor<Bool> {
    let isOver = Monitor(false)
    _ = WorkerThread(name: "gathering") {
      queue.gather(count, until: .now.advanced(by: .seconds(3600)))
      isOver.withLock { $0 = true }
      isOver.broadcast()
    }
    return isOver
  }

  @Test func `it goes on when as many are there as it answered, and not before`() throws {
    let queue = WriterQueue(patience: .seconds(30))
    let isOver = Self.gather(2, from: queue)
    queue.add(Self.request())
    let early: Bool? = isOver.wait(until: .now.advanced(by: .milliseconds(50))) { $0 ? true : nil }
    #expect(early == nil)
    queue.add(Self.request())
    let late: Bool? = isOver.wait(until: .now.advanced(by: .seconds(600))) { $0 ? true : nil }
    #expect(late == true)
    #expect(queue.take(requests: 256, bytes: 1000).count == 2)
  }

  @Test func `it goes on without those that don't come`() {
    let queue = WriterQueue(patience: .seconds(30))
    queue.add(Self.request())
    queue.gather(2, until: .now.advanced(by: .milliseconds(1)))
    #expect(queue.take(requests: 256, bytes: 1000).count == 1)
  }

  @Test func `closing ends the wait`() {
    let queue = WriterQueue(patience: .seconds(30))
    let isOver = Self.gather(2, from: queue)
    queue.close {}
    let ended: Bool? = isOver.wait(until: .now.advanced(by: .seconds(600))) { $0 ? true : nil }
    #expect(ended == true)
  }
}
