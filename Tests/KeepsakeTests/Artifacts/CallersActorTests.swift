import Dispatch
import Files
import Foundation
import Keepsake
import Testing

/// An actor with a thread of its own, as the main one has, and no other test on it.
@globalActor actor LoneActor {
  static let shared = LoneActor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { Self.queue.asUnownedSerialExecutor() }
  private static let queue = Queue()

  private final class Queue: SerialExecutor {
    private let queue = DispatchQueue(label: "keepsake.tests.alone")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  /// When it came to it.
  static func moment() async -> ContinuousClock.Instant { await shared.now() }
  private func now() -> ContinuousClock.Instant { ContinuousClock.now }
}

/// Attaching much from an actor leaves it free: copying, hashing and writing happen elsewhere.
@Suite("The caller's actor", .serialized) struct CallersActorTests {
  static let size = 100 << 20

  @LoneActor @Test func `is free while 100 MB are attached`() async throws {
    let data = Data(repeating: 7, count: Self.size)
    let file = FileManager.default.temporaryDirectory.appending(path: "main-\(UUID().uuidString)")
    try data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      // Other tests may keep it busy, too: the freest of a few attempts is what this work does.
      for source in [ArtifactSource.data(data), .file(file)] {
        var least = 1.0
        for _ in 0..<5 where least > 0.1 {
          least = min(
            least,
            try await shareBlocked {
              let attached = try await session.attach(.init(source))
              try #require(attached.artifact?.size == Int64(Self.size))
            })
          try await session.erase(#require(try await session.attachments().last))
        }
        // Hashing on it would be all of the time, as the next test shows.
        #expect(least <= 0.5, "blocked for \(least) of the time")
      }
    }
  }

  @LoneActor @Test func `is found to be blocked by whoever hashes on it`() async throws {
    let bytes = [UInt8](repeating: 7, count: Self.size)
    let share = try await shareBlocked { _ = SHA256.digest(of: bytes) }
    #expect(share > 0.5)
  }

  /// `Data` shares its memory until it is taken in; a copy of it would be some milliseconds of the caller's time.
  @Test func `does not copy what it hands over`() {
    let data = Data(repeating: 7, count: Self.size)
    let clock = ContinuousClock()
    let copying = (0..<3).map { _ in clock.measure { #expect([UInt8](data).count == Self.size) } }
    let handing = (0..<3).map { _ in clock.measure { _ = ArtifactSource.data(data) } }
    #expect(handing.min() ?? .zero < (copying.min() ?? .zero) / 10)
  }

  /// The share of a work's time in which other jobs of the actor had to wait.
  @LoneActor
  private func shareBlocked(during work: @LoneActor () async throws -> Void) async throws -> Double
  {
    let clock = ContinuousClock()
    let blocked = Locked(Duration.zero)
    let heart = Task.detached {
      while !Task.isCancelled {
        let asked = clock.now
        let waited = asked.duration(to: await LoneActor.moment())
        blocked.withLock { $0 += waited }
        try? await Task.sleep(for: .milliseconds(1))
      }
    }
    // Not before it beats.
    while blocked.withLock({ $0 }) == .zero { await Task.yield() }
    blocked.withLock { $0 = .zero }
    let whole = try await clock.measure { try await work() }
    // What was asked before the end has its answer now.
    heart.cancel()
    await heart.value
    return blocked.withLock { $0 } / whole
  }
}
