import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// The threads of a hub, and work that begins on the thread of its caller.
@Suite struct `Work of a hub that begins on the thread of its caller` {
  private static let closed = KeepsakeError(.closed, "The hub is closed.")
  /// The hubs of other tests have the loan of the process now and then.
  private let loan = ThreadLoan()
  private let threads: HubThreads

  init() { threads = HubThreads(closed: Self.closed, loan: loan) }

  private struct Failure: Error {}

  @Test func `is done there if its beginning has a result, and else on another thread`()
    async throws
  {
    let beginning = Locked<pthread_t?>(nil)
    let rest = Locked<pthread_t?>(nil)
    for result in [1, nil] {
      let done = try await threads.run(
        beginning: {
          beginning.withLock { $0 = pthread_self() }
          return result
        },
        {
          rest.withLock { $0 = pthread_self() }
          return 2
        })
      #expect(done == result ?? 2)
      #expect(rest.withLock { $0 == nil } == (result != nil))
    }
    #expect(beginning.withLock { $0 } != rest.withLock { $0 })
    await threads.close()
  }

  @Test func `fails with its error, and is over then`() async throws {
    await #expect(throws: Failure.self) {
      try await threads.run(beginning: { throw Failure() }) { 1 }
    }
    await #expect(throws: Failure.self) {
      try await threads.run(beginning: { nil }) { () throws -> Int in throw Failure() }
    }
    await threads.close()
  }

  @Test func `never blocks the main thread, nor more than one thread of the process`() async throws
  {
    let isMain = Locked<Bool?>(nil)
    try await Task { @MainActor [threads] in
      try await threads.run(beginning: { isMain.withLock { $0 = Thread.isMainThread } }) {}
    }.value
    #expect(isMain.withLock { $0 } == false)

    let others = HubThreads(closed: Self.closed, loan: loan)
    let began = Monitor(false)
    let mayEnd = Monitor(false)
    async let first = threads.run(
      beginning: { () -> Int? in
        began.withLock { $0 = true }
        began.signal()
        return mayEnd.wait { $0 ? 1 : nil }
      }, { 2 })
    // Waits on a thread of its own, because tasks have few threads.
    try await others.run { _ = began.wait { $0 ? true : nil } }
    #expect(try await others.run(beginning: { 1 }, { 2 }) == 2)
    mayEnd.withLock { $0 = true }
    mayEnd.signal()
    #expect(try await first == 1)
    #expect(try await others.run(beginning: { 1 }, { 2 }) == 1)
    await threads.close()
    await others.close()
  }

  @Test func `is waited for by whoever closes the hub, and does not begin after that`() async throws
  {
    let steps = Locked<[String]>([])
    @Sendable func note(_ step: String) { steps.withLock { $0.append(step) } }
    let began = Monitor(false)
    let mayEnd = Monitor(false)
    let threads = threads
    let work = Task {
      try await threads.run(
        beginning: { () -> Void? in nil },
        {
          began.withLock { $0 = true }
          began.signal()
          mayEnd.wait { $0 ? () : nil }
          note("rest")
        })
    }
    try await threads.run { _ = began.wait { $0 ? true : nil } }
    let closing = Task {
      await threads.close()
      note("closed")
    }
    while (try? threads.requireOpen()) != nil { await Task.yield() }
    mayEnd.withLock { $0 = true }
    mayEnd.signal()
    await closing.value
    try await work.value
    #expect(steps.withLock { $0 } == ["rest", "closed"])
    await #expect(throws: KeepsakeError.self) {
      try await threads.run(beginning: { note("too late") }) { note("too late") }
    }
    #expect(steps.withLock { $0.count } == 2)
  }
}
