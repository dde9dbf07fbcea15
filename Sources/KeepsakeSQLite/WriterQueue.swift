import KeepsakeFiles

/// What the writer's thread, its callers and its watch share.
final class WriterQueue: Sendable {
  /// Who has the connection.
  enum Turn: Equatable {
    case nobody
    /// The writer's thread, from when it wakes until it sleeps again.
    case thread
    /// A caller, for the one request that it runs by itself.
    case caller(ThreadIdentity)
  }

  /// What the writer's thread is to do next.
  enum Work {
    case requests
    case checkpoint
    case idleWork
    /// Nothing, until somebody asks for something.
    case rest
    case close
  }

  struct State {
    var turn = Turn.thread
    /// Whether the last batch was a single request: who comes next is likely to be alone, too.
    var isLonely = true
    /// How many callers in a row had the connection.
    var callers = 0
    var requests: [WriterRequest] = []
    /// Where the queue begins in `requests`.
    var head = 0
    /// How many requests the writer's thread sleeps for; 0 while it is awake.
    var awaited = 0
    /// A caller that ran its request by itself leaves the checkpoint to the writer's thread.
    var isCheckpointDue = false
    /// When the idle work is due; nil when there is none to do.
    var idleAt: Instant?
    /// Whether the writer's thread wakes by itself when the idle work is due.
    var hasAlarm = false
    var isClosing = false
    /// The connection is closed.
    var isClosed = false
    /// Why nothing is accepted any more.
    var refusal: WriterError?
    /// Since when another process is in the way.
    var blockedSince: Instant?
    /// Who waits until nothing is left to do.
    var resters: [@Sendable () -> Void] = []
    /// Who waits for the closing.
    var closers: [@Sendable () -> Void] = []
    var statistics = Writer.Statistics()

    var count: Int { requests.count - head }
    var isEmpty: Bool { head == requests.count }

    var isWithCaller: Bool {
      if case .caller = turn { true } else { false }
    }

    /// What there is to do for the writer's thread.
    var work: Work? {
      if !isEmpty { return .requests }
      if isCheckpointDue { return .checkpoint }
      if !resters.isEmpty { return .rest }
      if isClosing { return .close }
      if let idleAt, idleAt <= .now { return .idleWork }
      return nil
    }

    /// Whether the writer's thread has to be woken now, which is then up to the caller.
    mutating func wakes(always: Bool = false) -> Bool {
      guard !isWithCaller, awaited > 0, always || count >= awaited else { return false }
      awaited = 0
      return true
    }

    /// Lets go of the requests before the head: mostly all; under steady load, at times half.
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

  /// A loop of writes would keep a thread that all tasks share for as long as it runs: after so many in a row its task
  /// lets others go first.
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
  /// Gives a caller the connection if nobody else wants it, until it says ``leave(idleAt:isCheckpointDue:)``.
  func enter() -> Bool {
    monitor.withLock { state in
      guard state.turn == .nobody, state.isLonely, state.work == nil, state.refusal == nil
      else { return false }
      state.turn = .caller(.current)
      state.callers += 1
      return true
    }
  }

  /// Whether so many callers had the connection in a row that the next one is to let other tasks go first; counts anew
  /// from then on.
  func isPauseDue() -> Bool {
    monitor.withLock { state in
      guard state.callers >= Self.callersInARow else { return false }
      state.callers = 0
      return true
    }
  }

  /// Takes the connection back from a caller, and wakes the writer's thread for what came meanwhile.
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

  /// Puts a request at the end, or answers it at once when it can't be taken.
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
    // Not under the lock, which the woken thread would have to wait for.
    if wakes { monitor.signal() }
    if let refusal { request.finish(refusal) }
  }

  /// Withdraws a request that the writer hasn't taken; does nothing to one that it has.
  func cancel(_ request: WriterRequest) {
    let wasWaiting = monitor.withLock { _ in
      switch request.state {
      case .new:
        // Its task is about to add it, and will be told then.
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

  /// Accepts no more requests; `done` hears when those that wait are answered and all is closed.
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

  /// `done` hears when the requests that wait are answered and the lock is let go of; nothing is begun after that
  /// before there is another request.
  func rest(_ done: @escaping @Sendable () -> Void) {
    let answerNow = monitor.withLock { state in
      if state.isClosed { return true }
      state.resters.append(done)
      if state.wakes(always: true) { monitor.signal() }
      return false
    }
    if answerNow { done() }
  }

  /// Nobody waits for another process in order to be told that nothing is left to do: the thread
  /// closes the connection by itself when the lock comes.
  private func abandoned(_ state: inout State) -> [@Sendable () -> Void] {
    guard state.isClosing, state.blockedSince != nil, state.isEmpty else { return [] }
    defer { state.closers = [] }
    return state.closers
  }
}

// MARK: - For the writer's thread

extension WriterQueue {
  /// Ends the turn of the writer's thread, and sleeps until there is something to do.
  func next(idleAt: Instant?) -> Work {
    monitor.withLock { state in
      state.turn = .nobody
      state.idleAt = idleAt
    }
    while true {
      let alarm = monitor.withLock { state in
        // While a caller has the connection there is nothing that this thread could wake for.
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
          // A caller has left behind when to wake.
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

  /// Answers those who wait until nothing is left to do.
  func finishResting() {
    let resters = monitor.withLock { state in
      defer { state.resters = [] }
      return state.resters
    }
    for rester in resters { rester() }
  }

  /// Waits, asleep, until so many requests are there or the moment has come.
  func gather(_ count: Int, until moment: Instant) {
    monitor.wait(until: moment) { state in
      if state.count >= count || state.isClosing { return () }
      state.awaited = count
      return nil
    }
    monitor.withLock { $0.awaited = 0 }
  }

  var isEmpty: Bool { monitor.withLock { $0.isEmpty } }

  /// Takes what may share a transaction: the longest beginning of the queue within the limits.
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

  /// Answers all that wait with an error; with `forGood`, all that ever come.
  func failAll(_ error: any Error, forGood refusal: WriterError? = nil) {
    let failed = monitor.withLock { state in
      if let refusal { state.refusal = refusal }
      let failed = state.removeAll()
      for request in failed { request.state = .taken }
      return failed
    }
    for request in failed { request.finish(error) }
  }

  /// The connection is closed: nothing runs any more.
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
  /// From now on requests give up when their patience is over; those that wait already, too.
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

  /// Answers those whose patience is over, and gives the moment at which to look again.
  func expire(holder: @Sendable () -> Int32?) -> Instant {
    let (failed, closers, next) = monitor.withLock { state in
      let now = Instant.now
      var next = now.advanced(by: patience)
      var failed: [WriterRequest] = []
      // All wait equally long, so the first in the queue gives up first.
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
