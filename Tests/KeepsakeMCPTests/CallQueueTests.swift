import Foundation
import Keepsake
import KeepsakeFiles
import Testing

@testable import KeepsakeMCP

/// How many calls run at a time, and how they end early.
@Suite struct CallQueueTests {
  /// A call that waits until it is let go, or is stopped.
  private static func call(
    _ id: Int64, _ gate: Monitor<Bool>, deadline: Duration = .seconds(600),
    begun: @escaping @Sendable () -> Void = {}
  ) -> Call {
    Call(
      id: .number(id), deadline: deadline, progressToken: "t", revision: .july2026
    ) { _ in
      begun()
      let stop = ReadStop.current
      while !gate.withLock({ $0 }), stop?.isStopped != true {
        _ = gate.wait(until: .now.advanced(by: .milliseconds(10))) { $0 ? true : nil }
      }
      return Array("done".utf8)
    } refuse: {
      Array($0.message.utf8)
    }
  }

  @Test func `eight calls run, sixty-four wait, and the next is told that the server is busy`()
    async throws
  {
    let queue = CallQueue()
    let gate = Monitor(false)
    let begun = Monitor(0)
    let answers = Monitor<[String]>([])
    for id in 0..<73 {
      queue.submit(
        Self.call(
          Int64(id), gate,
          begun: {
            begun.withLock { $0 += 1 }; begun.broadcast()
          })
      ) {
        answer in
        answers.withLock { $0.append(String(decoding: answer ?? [], as: UTF8.self)) }
        answers.broadcast()
      }
    }
    #expect(answers.withLock { $0 }.count == 1)
    #expect(answers.withLock { $0.first }?.hasPrefix("Too many calls") == true)
    await OwnTask.run { _ = begun.wait { $0 == 8 ? true : nil } }
    try await Task.sleep(for: .milliseconds(50))
    #expect(begun.withLock { $0 } == 8)
    gate.withLock { $0 = true }
    gate.broadcast()
    await OwnTask.run { _ = answers.wait { $0.count == 73 ? true : nil } }
    #expect(answers.withLock { $0 }.filter { $0 == "done" }.count == 72)
    #expect(begun.withLock { $0 } == 72)
  }

  @Test func `a call that takes too long is given up, and its place is free`() async throws {
    var limits = CallQueue.Limits()
    limits.running = 1
    let queue = CallQueue(limits)
    let gate = Monitor(false)
    let late = await withCheckedContinuation { done in
      queue.submit(Self.call(1, gate, deadline: .milliseconds(50))) { done.resume(returning: $0) }
    }
    #expect(String(decoding: late ?? [], as: UTF8.self).contains("took longer"))
    // The work of the first call stops as well, or this one would never run.
    gate.withLock { $0 = true }
    let next = await withCheckedContinuation { done in
      queue.submit(Self.call(2, gate)) { done.resume(returning: $0) }
    }
    #expect(next == Array("done".utf8))
  }

  @Test func `a cancelled call has no answer, running or waiting`() async throws {
    var limits = CallQueue.Limits()
    limits.running = 1
    let queue = CallQueue(limits)
    let gate = Monitor(false)
    let answers = Monitor<[Int: [UInt8]?]>([:])
    let tickets = (0..<3).map { number in
      queue.submit(Self.call(Int64(number), gate)) { answer in
        answers.withLock { $0[number] = answer }
        answers.broadcast()
      }
    }
    queue.cancel(tickets[1])
    queue.cancel(tickets[0])
    queue.cancel(tickets[0])
    gate.withLock { $0 = true }
    gate.broadcast()
    await OwnTask.run { _ = answers.wait { $0.count == 3 ? true : nil } }
    let found = answers.withLock { $0 }
    #expect(found[0] == .some(nil) && found[1] == .some(nil))
    #expect(found[2] == .some(Array("done".utf8)))
    queue.cancel(tickets[2])
  }

  @Test func `progress rises, comes not too often, and never after the answer`() async throws {
    let queue = CallQueue()
    let notices = Locked<[JSON]>([])
    let call = Call(
      id: 1, deadline: .seconds(600), progressToken: 7, revision: .july2026
    ) { report in
      for step in [0, 1, 1, 0, 2, 3, 9] {
        report(.init(done: step, total: 9, message: "m"))
        if step == 1 { try? await Task.sleep(for: .milliseconds(300)) }
      }
      return []
    } refuse: { _ in
      []
    }
    _ = await withCheckedContinuation { done in
      queue.submit(
        call,
        notify: { bytes in
          if let json = try? JSON(validating: bytes) { notices.withLock { $0.append(json) } }
        }
      ) { done.resume(returning: $0) }
    }
    let seen = notices.withLock { $0 }
    let steps = seen.compactMap { $0["params"]?["progress"]?.intValue }
    #expect(steps == steps.sorted() && Set(steps).count == steps.count)
    #expect(steps.first == 0 && steps.last == 9)
    #expect(seen.allSatisfy { $0["params"]?["progressToken"] == 7 && $0["id"] == nil })
  }

  @Test func `a read of the store is interrupted, and the connection serves the next one`()
    async throws
  {
    let store = try await TalkStore()
    try await store.change { store in
      let session = try await store.createSession(title: "Many")
      for _ in 0..<20 { try await session.append((0..<500).map { .prompt("word \($0)") }) }
    }
    let reader = try await Store(at: URL(filePath: store.path), options: .readOnly)
    let stop = ReadStop()
    let begun = Monitor(false)
    let reading = Task {
      await ReadStop.$current.withValue(stop) {
        begun.withLock { $0 = true }
        begun.broadcast()
        do {
          // Again and again, until it is stopped in the middle of one of them.
          while true { _ = try await reader.search("word", order: .ranked) }
        } catch { return error is CancellationError }
      }
    }
    await OwnTask.run { _ = begun.wait { $0 ? true : nil } }
    try await Task.sleep(for: .milliseconds(30))
    let nudge = Task {
      while !Task.isCancelled {
        stop.stop()
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    #expect(await reading.value)
    nudge.cancel()
    #expect(try await reader.search("word", limit: 3).hits.count == 3)
    await reader.close()
  }
}

/// Runs what blocks on a thread of its own.
enum OwnTask {
  static func run(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        body()
        done.resume()
      }
    }
  }
}
