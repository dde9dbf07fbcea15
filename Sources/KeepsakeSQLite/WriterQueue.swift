import KeepsakeFiles

/// The queue of requests and the turns on the connection, shared by the writer's thread, callers and the lock's watch.
final class WriterQueue: Sendable {
  /// The thread that has the connection.
  enum Turn: Equatable {
    case nobody
    /// The writer's thread has the connection, from waking up until it sleeps again.
    case thread
    /// A caller has the connection, for the one request that it runs itself.
    case caller(ThreadIdentity)
  }

  /// The next work of the writer's thread.
  enum Work {
    case requests
    case checkpoint
    case idleWork
    /// Nothing to do until the next request.
    case rest
    case close
  }

  /// The state of the queue, under the monitor's lock.
  struct State {
    var turn = Turn.thread
    /// Whether the last batch was a single request, so that the next request is likely to be alone as well.
    var isLonely = true
    /// The number of callers in a row that ran a request themselves.
    var callers = 0
    var requests: [WriterRequest] = []
    /// The index in `requests` at which the queue begins.
    var head = 0
    /// The number of requests that wake the writer's thread; 0 while it is awake.
    var awaited = 0
    /// Whether a caller left a checkpoint to the writer's thread.
    var isCheckpointDue = false
    /// The time at which the idle work is due; nil when there is none to do.
    var idleAt: Instant?
    /// Whether the writer's thread wakes by itself when the idle work is due.
    var hasAlarm = false
    var isClosing = false
    /// Whether the connection is closed.
    var isClosed = false
    /// The error for all further requests; nil while requests are accepted.
    var refusal: WriterError?
    /// The time since which another process has held the lock; nil while none is in the way.
    var blockedSince: Instant?
    /// The closures to call when no work is left.
    var resters: [@Sendable () -> Void] = []
    /// The closures to call when the connection is closed.
    var closers: [@Sendable () -> Void] = []
    var statistics = Writer.Statistics()

    var count: Int { requests.count - head }
    var isEmpty: Bool { head == requests.count }

    var isWithCaller: Bool {
      if case .caller = turn { true } else { false }
    }

    /// The next work for the writer's thread; nil when there is none.
    var work: Work? {
      if !isEmpty { return .requests }
      if isCheckpointDue { return .checkpoint }
      if !resters.isEmpty { return .rest }
      if isClosing { return .close }
      if let idleAt, idleAt <= .now { return .idleWork }
      return nil
    }

    /// Returns whether the writer's thread must be woken now; the caller then has to signal it.
    mutating func wakes(always: Bool = false) -> Bool {
      guard !isWithCaller, awaited > 0, always || count >= awaited else { return false }
      awaited = 0
      return true
    }

    /// Removes the requests before the head: mostly when the queue is empty, under steady load when they are half of it.
    mutating func forgetPassed() {
      if isEmpty {
        requests.removeAll(keepingCapacity: true)
      } else if head > 1024, head > requests.count / 2 {
        requests.removeFirst(head)
      } else {
        return
      }
      head = 0
    }

    mutating func removeAll() -> [WriterRequest] {
      defer {
        requests.removeAll(keepingCapacity: true)
        head = 0
      }
      return requests[head...].filter { $0.state == .waiting }
    }
  }

  /// How many callers in a row may run requests themselves before a task yields.
  ///
  /// A task that writes in a loop would otherwise never give back a thread that all tasks share.
  static let callersInARow = 8

  private let patience: Duration
  private let monitor = Monitor(State())

  init(patience: Duration) {
    self.patience = patience
  }

  var statistics: Writer.Statistics {
    monitor.withLock { state in
      var statistics = state.statistics
      statistics.waiting = state.requests[state.head...].count { $0.state == .waiting }
      return statistics
    }
  }

  func count(_ change: @Sendable (inout Writer.Statistics) -> Void) {
    monitor.withLock { change(&$0.statistics) }
  }
}

// MARK: - For callers

extension WriterQueue {
  /// Gives the connection to a caller if nobody else wants it, until ``leave(idleAt:isCheckpointDue:)``.
  func enter() -> Bool {
    monitor.withLock { state in
      guard state.turn == .nobody, state.isLonely, state.work == nil, state.refusal == nil
      else { return false }
      state.turn = .caller(.current)
      state.callers += 1
      return true
    }
  }

  /// Returns whether so many callers in a row had the connection that the next task should yield; a true answer restarts the count.
  func isPauseDue() -> Bool {
    monitor.withLock { state in
      guard state.callers >= Self.callersInARow else { return false }
      state.callers = 0
      return true
    }
  }

  /// Takes the connection back from a caller, and wakes the writer's thread if there is work for it.
  func leave(idleAt: Instant?, isCheckpointDue: Bool) {
    let wakes = monitor.withLock { state in
      state.turn = .nobody
      state.idleAt = idleAt
      state.isCheckpointDue = isCheckpointDue
      let needsAlarm = idleAt != nil && !state.hasAlarm
      return state.wakes(always: needsAlarm || state.work != nil)
    }
    if wakes { monitor.signal() }
  }

  /// Whether this thread has the connection as a caller.
  var isEntered: Bool { monitor.withLock { $0.turn == .caller(.current) } }

  /// Adds a request at the end of the queue, or answers it at once with an error if it can't be accepted.
  func add(_ request: WriterRequest) {
    let (refusal, wakes): ((any Error)?, Bool) = monitor.withLock { state in
      guard request.state == .new else { return (CancellationError(), false) }
      let isInTheWay = request.isImpatient && state.blockedSince != nil
      if let refusal = state.refusal ?? (isInTheWay ? .lockTimeout(holder: nil) : nil) {
        request.state = .withdrawn
        return (refusal, false)
      }
      request.state = .waiting
      if state.blockedSince != nil { request.deadline = Instant.now.advanced(by: patience) }
      state.requests.append(request)
      return (nil, state.wakes())
    }
    // The signal comes after the lock, because the woken thread would have to wait for the lock.
    if wakes { monitor.signal() }
    if let refusal { request.finish(refusal) }
  }

  /// Withdraws a request that the writer hasn't taken yet; does nothing to a request that was taken.
  func cancel(_ request: WriterRequest) {
    let wasWaiting = monitor.withLock { _ in
      switch request.state {
      case .new:
        // The request's task is about to call `add`, which then answers with a cancellation.
        request.state = .withdrawn
        return false
      case .waiting:
        request.state = .withdrawn
        return true
      case .taken, .withdrawn:
        return false
      }
    }
    if wasWaiting { request.finish(CancellationError()) }
  }

  /// Accepts no more requests; `done` is called when the waiting requests are answered and the connection is closed.
  func close(_ done: @escaping @Sendable () -> Void) {
    let answerNow: [@Sendable () -> Void] = monitor.withLock { state in
      state.isClosing = true
      if state.refusal == nil { state.refusal = .closed }
      if state.isClosed { return [done] }
      state.closers.append(done)
      if state.wakes(always: true) { monitor.signal() }
      return abandoned(&state)
    }
    for closer in answerNow { closer() }
  }

  /// Calls `done` when the waiting requests are answered and the lock is released; no work begins before the next request.
  func rest(_ done: @escaping @Sendable () -> Void) {
    let answerNow = monitor.withLock { state in
      if state.isClosed { return true }
      state.resters.append(done)
      if state.wakes(always: true) { monitor.signal() }
      return false
    }
    if answerNow { done() }
  }

  /// Returns the closures of callers who should not wait for the closing, because another process holds the lock.
  ///
  /// No request is left, and the writer's thread closes the connection by itself when it gets the lock.
  private func abandoned(_ state: inout State) -> [@Sendable () -> Void] {
    guard state.isClosing, state.blockedSince != nil, state.isEmpty else { return [] }
    defer { state.closers = [] }
    return state.closers
  }
}

// MARK: - For the writer's thread

extension WriterQueue {
  /// Ends the turn of the writer's thread, and sleeps until there is work.
  func next(idleAt: Instant?) -> Work {
    monitor.withLock { state in
      state.turn = .nobody
      state.idleAt = idleAt
    }
    while true {
      let alarm = monitor.withLock { state in
        // While a caller has the connection, this thread has no reason to wake.
        let alarm = state.isWithCaller ? nil : state.idleAt
        state.hasAlarm = alarm != nil
        return alarm
      }
      let woken: Work?? = monitor.wait(until: alarm) { state in
        guard !state.isWithCaller else {
          state.awaited = 1
          return nil
        }
        guard let work = state.work else {
          state.awaited = 1
          // A caller set a new time for the idle work: start waiting again with that time.
          return state.idleAt != nil && !state.hasAlarm ? .some(nil) : nil
        }
        state.turn = .thread
        state.awaited = 0
        if case .checkpoint = work { state.isCheckpointDue = false }
        return work
      }
      if case .some(.some(let work)) = woken { return work }
    }
  }

  /// Calls the closures that wait until no work is left.
  func finishResting() {
    let resters = monitor.withLock { state in
      defer { state.resters = [] }
      return state.resters
    }
    for rester in resters { rester() }
  }

  /// Sleeps until the queue has the given number of requests, or until a moment.
  func gather(_ count: Int, until moment: Instant) {
    monitor.wait(until: moment) { state in
      if state.count >= count || state.isClosing { return () }
      state.awaited = count
      return nil
    }
    monitor.withLock { $0.awaited = 0 }
  }

  var isEmpty: Bool { monitor.withLock { $0.isEmpty } }

  /// Takes the requests that may share a transaction, from the head of the queue within the limits.
  func take(requests limit: Int, bytes: Int) -> [WriterRequest] {
    monitor.withLock { state in
      var batch: [WriterRequest] = []
      var room = bytes
      while !state.isEmpty {
        let request = state.requests[state.head]
        guard request.state == .waiting else {
          state.head += 1
          continue
        }
        if let first = batch.first {
          let fits = batch.count < limit && request.bytes <= room
          guard fits, !request.isExclusive, !first.isExclusive else { break }
        }
        request.state = .taken
        room -= request.bytes
        batch.append(request)
        state.head += 1
      }
      state.forgetPassed()
      state.isLonely = batch.count <= 1
      state.callers = 0
      return batch
    }
  }

  /// Answers all waiting requests with an error, and with `forGood` all later requests as well.
  func failAll(_ error: any Error, forGood refusal: WriterError? = nil) {
    let failed = monitor.withLock { state in
      if let refusal { state.refusal = refusal }
      let failed = state.removeAll()
      for request in failed { request.state = .taken }
      return failed
    }
    for request in failed { request.finish(error) }
  }

  /// Notes that the connection is closed, and calls the closures that wait for that.
  func finishClosing() {
    let closers = monitor.withLock { state in
      state.isClosed = true
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer() }
  }
}

// MARK: - While another process holds the lock

extension WriterQueue {
  /// Starts or ends the time during which requests lose their patience, because another process holds the lock.
  func setBlocked(_ isBlocked: Bool) {
    let impatient = monitor.withLock { state -> [WriterRequest] in
      state.blockedSince = isBlocked ? Instant.now : nil
      guard isBlocked else { return [] }
      let impatient = state.requests[state.head...].filter {
        $0.isImpatient && $0.state == .waiting
      }
      for request in impatient { request.state = .withdrawn }
      return impatient
    }
    for request in impatient { request.finish(WriterError.lockTimeout(holder: nil)) }
  }

  /// Answers the requests whose patience is over, and returns the moment of the next check.
  func expire(holder: @Sendable () -> Int32?) -> Instant {
    let (failed, closers, next) = monitor.withLock { state in
      let now = Instant.now
      var next = now.advanced(by: patience)
      var failed: [WriterRequest] = []
      // All requests wait for an equal time, so the first in the queue is the first to give up.
      while !state.isEmpty {
        let request = state.requests[state.head]
        let since = state.blockedSince ?? now
        let deadline = request.deadline ?? since.advanced(by: patience)
        if request.state == .waiting {
          guard deadline <= now else {
            next = deadline
            break
          }
          request.state = .withdrawn
          failed.append(request)
        }
        state.head += 1
      }
      return (failed, abandoned(&state), next)
    }
    if !failed.isEmpty {
      let error = WriterError.lockTimeout(holder: holder())
      for request in failed { request.finish(error) }
    }
    for closer in closers { closer() }
    return next
  }
}
