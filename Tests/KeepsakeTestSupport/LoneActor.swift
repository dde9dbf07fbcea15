import Dispatch
import KeepsakeFiles

/// An actor that nobody else is on, and that knows how long its jobs held it.
@globalActor package actor LoneActor {
  package static let shared = LoneActor()
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.queue.asUnownedSerialExecutor()
  }
  private static let queue = Queue()

  private final class Queue: SerialExecutor {
    private let queue = DispatchQueue(label: "keepsake.tests.alone")
    private let time = Locked(Duration.zero)

    /// How long its jobs held it, all of them that were begun.
    var busy: Duration {
      // What a job did goes on elsewhere before the job's time is noted; the queue takes its turns one after the other.
      queue.sync { time.withLock { $0 } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async {
        let held = ContinuousClock().measure {
          job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
        self.time.withLock { $0 += held }
      }
    }
  }

  /// How long its jobs held it while a work was done, which begins and ends with a job of its own.
  package static func busy(during work: @LoneActor @Sendable () async throws -> Void) async throws
    -> Duration
  {
    let before = queue.busy
    try await work()
    return queue.busy - before
  }
}
