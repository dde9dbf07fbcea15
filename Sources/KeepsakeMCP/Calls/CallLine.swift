import Keepsake
import KeepsakeFiles

/// The calls that run and wait, with the thread that watches their deadlines.
final class CallLine: Sendable {
  /// A call with what its answer and its notices go to.
  struct Pending: Sendable {
    let call: Call
    let notify: (@Sendable ([UInt8]) -> Void)?
    let then: @Sendable ([UInt8]?) -> Void
  }

  /// A call that was started. It stays here until its work has ended, answered or not.
  private struct Running {
    let stop: ReadStop
    var task: Task<Void, Never>?
    /// The progress that was reported last, and when.
    var progress = (done: -1, at: Instant.now)
  }

  private struct State {
    var next = 1
    /// The calls that are to be answered, by number.
    var open: [Int: (pending: Pending, deadline: Instant)] = [:]
    var waiting: [Int] = []
    var running: [Int: Running] = [:]
    /// The running calls whose answers nobody waits for any more.
    var stopped: Set<Int> = []
    var lastEnd = Instant.now
    var isWatched = false
    var isEnded = false
  }

  private let monitor = Monitor(State())

  /// The pause between two attempts to interrupt a call that was cancelled.
  private static let nudge: Duration = .milliseconds(20)
  /// The least time between two notices of one call.
  private static let noticePause: Duration = .milliseconds(250)

  /// Puts a call at the end of the line; nil if the line is full and does not move.
  func add(_ pending: Pending, _ limits: CallQueue.Limits) -> Int? {
    let room = limits.running + limits.waiting
    let deadline = Instant.now.advanced(by: pending.call.deadline)
    func enter(_ state: inout State) -> Int? {
      guard state.waiting.count + state.running.count < room else { return nil }
      let number = state.next
      state.next += 1
      state.open[number] = (pending, deadline)
      state.waiting.append(number)
      return number
    }
    var number = monitor.withLock { enter(&$0) }
    while number == nil {
      // A full line is waited for only as long as calls end.
      let limit = monitor.withLock { $0.lastEnd }.advanced(by: limits.patience)
      guard Instant.now < limit else { return nil }
      number = monitor.wait(until: limit) { enter(&$0) }
    }
    watch()
    return number
  }

  /// Takes the next waiting call if it may run.
  func startNext(_ limits: CallQueue.Limits) -> (Int, Pending, ReadStop)? {
    monitor.withLock { state in
      while state.running.count < limits.running, !state.waiting.isEmpty {
        let number = state.waiting.removeFirst()
        guard let open = state.open[number] else { continue }
        let stop = ReadStop()
        state.running[number] = Running(stop: stop)
        return (number, open.pending, stop)
      }
      return nil
    }
  }

  /// Notes the task of a call, so that it can be cancelled.
  func note(_ task: Task<Void, Never>, of number: Int) {
    let isStopped = monitor.withLock { state in
      state.running[number]?.task = task
      return state.stopped.contains(number)
    }
    if isStopped { task.cancel() }
  }

  /// Takes a call off the list of those to be answered; nil if somebody did so before.
  func finish(_ number: Int) -> Pending? {
    monitor.withLock { $0.open.removeValue(forKey: number)?.pending }
  }

  /// Notes that the work of a call has ended.
  func leave(_ number: Int) {
    monitor.withLock { state in
      state.running[number] = nil
      state.stopped.remove(number)
      state.lastEnd = .now
    }
    monitor.broadcast()
  }

  /// Takes a call off the list of those to be answered, and stops its work.
  func remove(_ number: Int) -> Pending? {
    let (pending, running) = monitor.withLock { state -> (Pending?, Running?) in
      guard let open = state.open.removeValue(forKey: number) else { return (nil, nil) }
      state.waiting.removeAll { $0 == number }
      if state.running[number] != nil { state.stopped.insert(number) }
      return (open.pending, state.running[number])
    }
    running?.task?.cancel()
    running?.stop.stop()
    // The watching thread repeats the interrupt.
    monitor.broadcast()
    return pending
  }

  /// Passes on a notice of progress: strictly rising, not too often, and none after the answer.
  func report(_ progress: Call.Progress, of number: Int) {
    // Under the lock, so that the answer can't overtake the notice.
    monitor.withLock { state in
      guard let open = state.open[number], let notify = open.pending.notify,
        var running = state.running[number], progress.done > running.progress.done,
        running.progress.done < 0
          || Instant.now - running.progress.at >= Self.noticePause
          || progress.done == progress.total,
        let notice = open.pending.call.notice(progress)
      else { return }
      running.progress = (progress.done, .now)
      state.running[number] = running
      notify(notice)
    }
  }
}

// MARK: - Deadlines

extension CallLine {
  /// Ends the thread that watches.
  func end() {
    monitor.withLock { $0.isEnded = true }
    monitor.broadcast()
  }

  /// Starts the thread that watches deadlines, with the first call.
  private func watch() {
    let isFirst = monitor.withLock { state in
      defer { state.isWatched = true }
      return !state.isWatched
    }
    guard isFirst else { return monitor.broadcast() }
    _ = WorkerThread(name: "keepsake-watch") { [self] in
      while let (late, stops) = nextEvent() {
        for (number, refusal) in late {
          if let pending = remove(number) { pending.then(pending.call.refuse(refusal)) }
        }
        for stop in stops { stop.stop() }
      }
    }
  }

  /// Waits for a deadline, or for the time to interrupt stopped calls again; nil at the end.
  private func nextEvent() -> (late: [(Int, Call.Refusal)], stops: [ReadStop])? {
    let (until, hasEnded) = monitor.withLock { state -> (Instant?, Bool) in
      var next = state.open.values.map(\.deadline).min()
      if !state.stopped.isEmpty {
        let nudge = Instant.now.advanced(by: Self.nudge)
        next = min(next ?? nudge, nudge)
      }
      return (next, state.isEnded)
    }
    if hasEnded { return nil }
    let isNudging = monitor.withLock { !$0.stopped.isEmpty }
    _ = monitor.wait(until: until) { state -> Bool? in
      if state.isEnded { return true }
      if let until, Instant.now >= until { return true }
      // Another call or another stop changes what is waited for.
      let next = state.open.values.map(\.deadline).min()
      if let next, until.map({ next < $0 }) ?? true { return true }
      return !state.stopped.isEmpty && !isNudging ? true : nil
    }
    return monitor.withLock { state in
      let now = Instant.now
      let late = state.open.filter { $0.value.deadline <= now }.map { number, open in
        let isRunning = state.running[number] != nil
        return (number, isRunning ? Call.Refusal.late(open.pending.call.deadline) : .busy)
      }
      return (late, state.stopped.compactMap { state.running[$0]?.stop })
    }
  }
}
