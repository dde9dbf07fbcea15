import KeepsakeFiles
import KeepsakeSQLite
import Testing

/// A database with one table, and writers on it.
final class WriterFixture: Sendable {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("store.sqlite")
    let db = try Connection(path: path, access: .create)
    try db.execute("CREATE TABLE t (a INTEGER UNIQUE, b BLOB) STRICT")
  }

  func writer(_ configuration: Writer.Configuration = .init()) throws -> Writer {
    try Writer(configuration: configuration) { [path] in
      try Connection(path: path, access: .readWrite)
    }
  }

  /// The store's lock, as another process would hold it.
  func lock() throws -> FileLock { try FileLock(path: folder.file("store.lock")) }

  func fairLock() throws -> FairLock { try FairLock(lock(), queue: folder.file("queue.lock")) }

  /// The values that are stored, as another connection sees them.
  func stored() throws -> [Int] {
    let db = try Connection(path: path, access: .readOnly)
    let rows = try db.prepare("SELECT a FROM t ORDER BY a")
    var values: [Int] = []
    while try rows.step() { values.append(rows.int(0)) }
    return values
  }
}

extension Transaction {
  /// Stores a value, which must be new, with so many bytes.
  func insert(_ value: Int, bytes: Int = 0) throws {
    let insert = try db.prepare("INSERT INTO t (a, b) VALUES (?1, zeroblob(?2))")
    insert.bind(value, at: 1)
    insert.bind(bytes, at: 2)
    try insert.run()
  }
}

/// A door that is shut until it is opened; whoever comes can be waited for.
final class Gate: Sendable {
  private let state = Monitor((isOpen: false, hasVisitor: false))

  /// Waits at the door.
  func pass() {
    state.withLock { $0.hasVisitor = true }
    state.broadcast()
    state.wait { $0.isOpen ? () : nil }
  }

  func open() {
    state.withLock { $0.isOpen = true }
    state.broadcast()
  }

  /// Doesn't block: the visitor may need this thread to come.
  func waitForVisitor() async {
    while !state.withLock({ $0.hasVisitor }) { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

extension Writer {
  /// Keeps the writer's thread inside a request until the gate opens.
  func hold(at gate: Gate) async -> Task<Void, any Error> {
    // Too much for a caller to write by itself: none of the threads that tasks share must stand at the gate.
    let task = Task { try await write(bytes: 1 << 30) { _ in gate.pass() } }
    await gate.waitForVisitor()
    return task
  }

  /// Queues requests while the writer is held, lets go, and gives their outcomes in order.
  func together<R: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int, Transaction) throws -> R
  ) async throws -> [Result<R, any Error>] {
    let gate = Gate()
    let holder = await hold(at: gate)
    var tasks: [Task<R, any Error>] = []
    for number in 0..<count {
      tasks.append(Task { try await write(bytes: 100) { try body(number, $0) } })
      await waitForQueue(number + 1)
    }
    gate.open()
    try await holder.value
    var outcomes: [Result<R, any Error>] = []
    for task in tasks { outcomes.append(await task.result) }
    return outcomes
  }

  /// Waits until so many requests are in the queue.
  func waitForQueue(_ count: Int) async {
    while statistics.waiting != count { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// An error of a request's own.
struct Refusal: Error, Hashable {
  var number = 0
}

/// Runs the body on a thread of its own, which it may block, and gives what it gave.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    _ = WorkerThread(name: "caller") { continuation.resume(with: Result { try body() }) }
  }
}
