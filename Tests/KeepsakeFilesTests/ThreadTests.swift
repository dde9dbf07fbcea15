import KeepsakeFiles
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite struct `A locked value` {
  @Test func `loses no change of eight threads`() {
    let counter = Locked(0)
    let threads = (0..<8).map { number in
      WorkerThread(name: "counter \(number)") {
        for _ in 0..<20_000 { counter.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(counter.withLock { $0 } == 160_000)
  }

  @Test func `is free again after the body threw`() {
    struct Refusal: Error {}
    let value = Locked(1)
    #expect(throws: Refusal.self) {
      try value.withLock { number throws(Refusal) in
        number = 2
        throw Refusal()
      }
    }
    #expect(value.withLock { $0 } == 2)
  }

  @Test func `may be one that cannot be copied, and is released once`() {
    struct Token: ~Copyable {
      let releases: Locked<Int>
      deinit { releases.withLock { $0 += 1 } }
    }
    let releases = Locked(0)
    do {
      let token = Locked(Token(releases: releases))
      #expect(token.withLock { $0.releases === releases })
    }
    #expect(releases.withLock { $0 } == 1)
  }

  #if os(Linux) || os(macOS)
    @Test func `stops the process when it is taken twice on a thread`() async {
      await #expect(processExitsWith: .failure) {
        let value = Locked(0)
        value.withLock { _ in value.withLock { $0 += 1 } }
      }
    }
  #endif
}

@Suite struct `A monitor` {
  @Test func `hands every item from one thread to another`() {
    let queue = Monitor([Int]())
    let sum = Locked(0)
    let consumer = WorkerThread(name: "consumer") {
      for _ in 0..<10_000 {
        let item = queue.wait { $0.isEmpty ? nil : $0.removeFirst() } ?? 0
        sum.withLock { $0 += item }
      }
    }
    for number in 1...10_000 {
      queue.withLock { $0.append(number) }
      queue.signal()
    }
    consumer.join()
    #expect(sum.withLock { $0 } == 50_005_000)
  }

  @Test func `gives up at the deadline, not before`() {
    let monitor = Monitor(0)
    let start = Instant.now
    let deadline = start.advanced(by: .milliseconds(20))
    let result: Int? = monitor.wait(until: deadline) { _ in nil }
    #expect(result == nil)
    #expect(Instant.now >= deadline)
    #expect(Instant.now - start < .seconds(10))
  }

  @Test func `looks once even when the deadline has passed`() {
    let monitor = Monitor(7)
    #expect(monitor.wait(until: .now.advanced(by: .seconds(-1))) { $0 } == 7)
    #expect(monitor.wait(until: .now.advanced(by: .seconds(-1))) { $0 == 8 ? true : nil } == nil)
  }

  @Test func `wakes all that wait`() {
    let monitor = Monitor(false)
    let threads = (0..<4).map { number in
      WorkerThread(name: "waiter \(number)") { _ = monitor.wait { $0 ? true : nil } }
    }
    monitor.withLock { $0 = true }
    monitor.broadcast()
    for thread in threads { thread.join() }
  }
}

@Suite struct `An instant` {
  @Test func `is cut off rather than overflowing`() {
    let now = Instant.now
    #expect(now.advanced(by: .seconds(Int64.max)) > now)
    #expect(now.advanced(by: .seconds(Int64.min)) < now)
    #expect(now.advanced(by: .milliseconds(1500)) - now == .milliseconds(1500))
    #expect(now.advanced(by: .milliseconds(-2)) < now)
  }
}

@Suite struct `A worker thread` {
  @Test func `can be joined by several, and again`() {
    let ran = Locked(0)
    let worker = WorkerThread(name: "a name that is longer than the system keeps") {
      ran.withLock { $0 += 1 }
    }
    let others = (0..<3).map { _ in WorkerThread(name: "joiner") { worker.join() } }
    worker.join()
    worker.join()
    for other in others { other.join() }
    #expect(ran.withLock { $0 } == 1)
  }

  @Test func `runs on when nobody keeps it`() {
    let done = Monitor(false)
    _ = WorkerThread(name: "left alone") {
      done.withLock { $0 = true }
      done.signal()
    }
    #expect(done.wait { $0 ? true : nil } == true)
  }

  @Test func `takes none of the app's signals, and leaves its maker's mask alone`() {
    let inner = Locked<[Int32]>([])
    let outer = Locked<[Int32]>([])
    let signals = [SIGTERM, SIGINT, SIGUSR1, SIGSEGV]
    @Sendable func blocked() -> [Int32] {
      var mask = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &mask)
      return signals.filter { sigismember(&mask, $0) == 1 }
    }
    // The maker is a thread of this test, with a mask that lets everything through.
    WorkerThread(name: "maker") {
      var open = sigset_t()
      sigemptyset(&open)
      pthread_sigmask(SIG_SETMASK, &open, nil)
      WorkerThread(name: "made") { inner.withLock { $0 = blocked() } }.join()
      outer.withLock { $0 = blocked() }
    }.join()
    #expect(inner.withLock { $0 } == [SIGTERM, SIGINT, SIGUSR1])
    #expect(outer.withLock { $0 } == [])
  }

  @Test func `has room for deep calls`() {
    // Touches most of 1 MiB; a smaller stack ends the process.
    WorkerThread(name: "deep") {
      withUnsafeTemporaryAllocation(byteCount: 900_000, alignment: 16) { buffer in
        for offset in stride(from: 0, to: buffer.count, by: 4096) { buffer[offset] = 1 }
      }
    }.join()
  }
}
