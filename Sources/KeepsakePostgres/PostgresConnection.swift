import KeepsakeFiles

#if canImport(CKeepsakePostgres)
  import CKeepsakePostgres
  import Glibc

  /// A connection to a server of PostgreSQL, which one thread uses at a time. It is closed when nobody has it any more.
  ///
  /// Every call blocks, for as long as its deadline says. No request to cancel is ever sent: it could reach another statement.
  @safe
  final class PostgresConnection: @unchecked Sendable {
    // `@unchecked`: the pool hands a connection to one thread at a time.
    let library: keepsake_postgres_library
    @safe let connection: OpaquePointer
    /// The number of warnings that came since the last statement was sent.
    @safe private let warnings: UnsafeMutablePointer<Int32>
    /// The names of the statements that the server has planned for this connection.
    private var prepared: Set<String> = []
    /// Tells whether the connection can't be used any more.
    private(set) var isBroken = false

    /// Connects to a server.
    /// - Parameter options: The names and values that libpq knows.
    /// - Throws: A `PostgresFailure` that is `unreachable` or `busy`.
    init(_ options: [(name: String, value: String)]) throws(PostgresFailure) {
      guard let library = PostgresLibrary.shared?.functions else {
        throw .unreachable(
          "libpq is not installed, which speaks with PostgreSQL. Install it (on Debian: libpq5)")
      }
      self.library = library
      let names = unsafe options.map { unsafe strdup($0.name) } + [nil]
      let values = unsafe options.map { unsafe strdup($0.value) } + [nil]
      defer {
        unsafe (names + values).forEach { unsafe free($0) }
      }
      let start = Instant.now
      let made = unsafe library.connectdbParams(
        names.map { unsafe UnsafePointer($0) }, values.map { unsafe UnsafePointer($0) }, 0)
      guard let made = unsafe made else { throw .unreachable("there is no memory left") }
      unsafe connection = made
      warnings = .allocate(capacity: 1)
      unsafe warnings.initialize(to: 0)
      if unsafe library.status(made) != CONNECTION_OK {
        try connectAgain(after: message, isSoon: Instant.now - start < Self.soon)
      }
      _ = unsafe library.setNoticeReceiver(made, Self.receive, warnings)
      // Otherwise sending much could wait for ever.
      guard unsafe library.setnonblocking(made, 1) == 0 else { throw .unreachable(message) }
    }

    /// The time in which a server answers that is there, whatever its answer is.
    private static let soon = Duration.seconds(1)

    /// Connects once more after a failure. The library tells the code of a refusal only to those who ask before the server is asked.
    private func connectAgain(after reason: String, isSoon: Bool) throws(PostgresFailure) {
      guard isSoon else { throw .unreachable(reason) }
      _ = unsafe library.setErrorVerbosity(connection, PQERRORS_VERBOSE)
      unsafe library.reset(connection)
      guard unsafe library.status(connection) == CONNECTION_OK else {
        let refusal = message
        let isBusy = PostgresFailure.statesOfBusyServers.contains { refusal.contains(" \($0): ") }
        throw PostgresFailure(kind: isBusy ? .busy : .unreachable, reason: reason)
      }
      _ = unsafe library.setErrorVerbosity(connection, PQERRORS_DEFAULT)
    }

    deinit {
      unsafe library.finish(connection)
      unsafe warnings.deallocate()
    }

    /// Counts the warnings among what a server says beside its answers.
    private static let receive: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void =
      { context, notice in
        guard let library = PostgresLibrary.shared?.functions,
          let severity = unsafe library.resultErrorField(notice, keepsake_postgres_severity),
          unsafe strcmp(severity, "WARNING") == 0
        else { return }
        unsafe context?.assumingMemoryBound(to: Int32.self).pointee += 1
      }

    /// Tells whether the connection is as it was left: the server has not ended it meanwhile.
    var isFresh: Bool {
      guard !isBroken, unsafe library.consumeInput(connection) == 1 else { return false }
      return unsafe library.status(connection) == CONNECTION_OK
    }

    /// The last error of the library, on one line.
    private var message: String {
      guard let text = unsafe library.errorMessage(connection) else { return "it failed" }
      return unsafe Self.line(String(cString: text))
    }

    private static func line(_ text: String) -> String {
      let lines = text.split(whereSeparator: \.isNewline)
      let line = lines.map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
      return line.hasSuffix(".") ? String(line.dropLast()) : line
    }
  }

  // MARK: - Statements

  extension PostgresConnection {
    /// Runs a statement.
    /// - Parameters:
    ///   - statement: The statement.
    ///   - values: Its values.
    ///   - isNamed: Whether the server keeps its plan for this connection, which a pooler may lose.
    ///   - deadline: The moment after which the connection is given up.
    /// - Returns: The rows of the answer.
    func run(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant
    ) throws(PostgresFailure) -> [PostgresRow] {
      try send(statement, values, isNamed: isNamed, until: deadline)
      return try wholeAnswer(to: statement, until: deadline).rows
    }

    /// Runs a statement that reads, and passes on each row as soon as it has come.
    /// - Parameter reader: A reader that gets the rows, and works on them while the server sends more rows.
    func run(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant, into reader: inout some PostgresRowReader
    ) throws(PostgresFailure) {
      try send(statement, values, isNamed: isNamed, until: deadline)
      guard unsafe library.setSingleRowMode(connection) == 1 else { throw lost() }
      do throws(PostgresFailure) {
        _ = try answer(until: deadline, into: &reader)
      } catch { throw noted(error) }
    }

    /// Sends a statement as ``run(_:_:isNamed:until:)`` does. Whoever sends it reads its answer afterwards.
    func send(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant
    ) throws(PostgresFailure) {
      if isNamed { try prepare(statement, until: deadline) }
      forgetWarnings()
      guard send(statement, values, isNamed: isNamed) else { throw lost() }
      try flush(until: deadline)
    }

    /// Lets other threads run on this processor before this one. A server on the same machine, woken by a statement that was just sent,
    /// often waits for the processor.
    func giveWay() { _ = sched_yield() }

    /// Tells whether the server has planned a statement for this connection.
    func isPrepared(_ statement: PostgresStatement) -> Bool { prepared.contains(statement.name) }

    /// The number of statements that the server has planned for this connection.
    var preparedCount: Int { prepared.count }

    /// Runs SQL without values, which may be several statements.
    /// - Parameter tag: What the server has to say about the last of them, where that matters.
    func run(
      _ sql: String, expecting tag: String? = nil, until deadline: Instant
    ) throws(PostgresFailure) {
      forgetWarnings()
      guard unsafe library.sendQuery(connection, sql) == 1 else { throw lost() }
      let last = try answer(until: deadline)
      if let tag { try require(tag, of: last) }
    }

    /// Throws if the answer to the end of a transaction is another one than expected, or the server warned of something.
    func require(_ tag: String, of answer: PostgresAnswer) throws(PostgresFailure) {
      // A transaction that failed answers COMMIT with ROLLBACK, and no error.
      guard answer.tag == tag else {
        throw PostgresFailure(kind: .refused("40000"), reason: "the transaction was rolled back")
      }
      try requireNoWarning()
    }

    /// Has the server plan a statement for this connection, if it has not done so.
    private func prepare(
      _ statement: PostgresStatement, until deadline: Instant
    ) throws(PostgresFailure) {
      if isPrepared(statement) { return }
      guard sendPrepare(statement) else { throw lost().beforeSending }
      do throws(PostgresFailure) { _ = try answer(until: deadline) } catch {
        // Behind a pooler another client may have prepared the statement of this name, which is the same one.
        guard error.state == "42P05" else { throw error.beforeSending }
      }
      notePrepared(statement)
    }

    func notePrepared(_ statement: PostgresStatement) { prepared.insert(statement.name) }

    /// Hands the planning of a statement to the library; false if the connection is lost.
    func sendPrepare(_ statement: PostgresStatement) -> Bool {
      unsafe library.sendPrepare(connection, statement.name, statement.sql, 0, nil) == 1
    }

    /// Hands a statement to the library; false if the connection is lost.
    func send(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool
    ) -> Bool {
      // An empty value has an address too: without one it would be `NULL`.
      let empty: [UInt8] = [0]
      var pointers: [UnsafePointer<CChar>?] = unsafe []
      var lengths: [Int32] = []
      func add(_ place: Int) -> Bool {
        guard place < values.count else {
          let formats = [Int32](repeating: 1, count: values.count)
          let count = Int32(values.count)
          let result =
            if isNamed {
              unsafe library.sendQueryPrepared(
                connection, statement.name, count, pointers, lengths, formats, 1)
            } else {
              unsafe library.sendQueryParams(
                connection, statement.sql, count, nil, pointers, lengths, formats, 1)
            }
          return result == 1
        }
        guard let bytes = values[place].bytes else {
          unsafe pointers.append(nil)
          lengths.append(0)
          return add(place + 1)
        }
        lengths.append(Int32(bytes.count))
        return unsafe (bytes.isEmpty ? empty : bytes).withUnsafeBytes { buffer in
          unsafe pointers.append(buffer.baseAddress?.assumingMemoryBound(to: CChar.self))
          return add(place + 1)
        }
      }
      return add(0)
    }
  }

  // MARK: - Answers

  extension PostgresConnection {
    func lost() -> PostgresFailure {
      isBroken = true
      return .unknown(message)
    }

    func forgetWarnings() { warnings.pointee = 0 }

    /// Throws if the server warned of something. A wait for a standby that was cancelled ends with nothing but a warning.
    func requireNoWarning() throws(PostgresFailure) {
      guard warnings.pointee > 0 else { return }
      isBroken = true
      throw .unknown("the server warned about it")
    }

    /// Notes what a failure says of the statements that the server has planned, and returns the failure.
    func noted(_ failure: PostgresFailure) -> PostgresFailure {
      if let state = failure.state, ["26000", "0A000"].contains(state) { prepared = [] }
      return failure
    }

    /// Waits for the answer to a statement that was sent. Throws if the server warned of a statement that writes, and forgets the plans of
    /// statements if a failure says that the server has lost them.
    func wholeAnswer(
      to statement: PostgresStatement, until deadline: Instant
    ) throws(PostgresFailure) -> PostgresAnswer {
      do throws(PostgresFailure) {
        let answer = try answer(until: deadline)
        if statement.isWriting { try requireNoWarning() }
        return answer
      } catch { throw noted(error) }
    }

    /// Waits until the answer begins to come, or a time has passed; tells whether it has begun. An error of the connection is left to
    /// whoever reads the answer.
    func isAnswered(within time: Duration) -> Bool {
      let deadline = Instant.now.advanced(by: time)
      var descriptor = pollfd(
        fd: unsafe library.socket(connection), events: Int16(POLLIN), revents: 0)
      while unsafe library.isBusy(connection) == 1 {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0,
          unsafe poll(&descriptor, 1, Int32(left.rounded(.up))) >= 0 || errno == EINTR,
          unsafe library.consumeInput(connection) == 1
        else { return false }
      }
      return true
    }

    /// Waits for the answer to a statement that was sent. For a text of several statements, the answer to the last one is returned.
    func answer(until deadline: Instant) throws(PostgresFailure) -> PostgresAnswer {
      var reader = NoReader()
      return try answer(until: deadline, into: &reader)
    }

    /// Reads the answers whose rows libpq hands out all at once, at the end. Such a reader gets no rows and has no work.
    private struct NoReader: PostgresRowReader {
      mutating func take(_ row: PostgresRow) {}
      mutating func work() -> Bool { false }
    }

    /// Waits for the answer to a statement that was sent. If libpq was told to hand out the rows one by one, the reader gets each row, and the
    /// returned answer has no rows.
    private func answer(
      until deadline: Instant, into reader: inout some PostgresRowReader
    ) throws(PostgresFailure) -> PostgresAnswer {
      try flush(until: deadline)
      var last = PostgresAnswer()
      var failure: PostgresFailure?
      while true {
        guard let result = unsafe try nextResult(until: deadline, working: { reader.work() })
        else { break }
        let answered = unsafe PostgresResult(result, library)
        defer { withExtendedLifetime(answered) {} }
        let status = unsafe library.resultStatus(result)
        switch status {
        case _ where status.rawValue == keepsake_postgres_together_aborted:
          failure = PostgresFailure(
            kind: .refused("25P02"), reason: "a statement that was sent before it failed")
        case PGRES_SINGLE_TUPLE: answered.rows.forEach { reader.take($0) }
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
          last.rows = answered.rows
          if let text = unsafe library.cmdStatus(result) { last.tag = unsafe String(cString: text) }
        default:
          if failure == nil { failure = unsafe self.failure(result) }
        }
      }
      if let failure {
        if failure.state == nil { isBroken = true }
        throw failure
      }
      return last
    }

    /// Waits for the next result, which the caller gives back to the library; nil at the end of the answer to a statement.
    /// - Parameter work: A closure that does a small piece of work while the server sends nothing, and returns false if it has no work.
    func nextResult(
      until deadline: Instant, working work: () -> Bool = { false }
    ) throws(PostgresFailure) -> OpaquePointer? {
      while unsafe library.isBusy(connection) == 1 {
        if !work() { try wait(for: POLLIN, until: deadline) }
        guard unsafe library.consumeInput(connection) == 1 else { throw lost() }
      }
      return unsafe library.getResult(connection)
    }

    func flush(until deadline: Instant) throws(PostgresFailure) {
      while true {
        switch unsafe library.flush(connection) {
        case 0: return
        case 1: break
        default: throw lost()
        }
        // A server that has no room for more may first have to be listened to.
        try wait(for: POLLIN | POLLOUT, until: deadline)
        guard unsafe library.consumeInput(connection) == 1 else { throw lost() }
      }
    }

    private func wait(for events: Int32, until deadline: Instant) throws(PostgresFailure) {
      var descriptor = pollfd(
        fd: unsafe library.socket(connection), events: Int16(events), revents: 0)
      while true {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else {
          isBroken = true
          throw .unknown("the server did not answer in time")
        }
        let count = unsafe poll(&descriptor, 1, Int32(min(left.rounded(.up), 1_000_000)))
        if count > 0 { return }
        guard count == 0 || errno == EINTR else {
          isBroken = true
          throw .unknown("waiting for the server failed with error \(errno) of the system")
        }
      }
    }

    private func failure(_ result: OpaquePointer) -> PostgresFailure {
      guard let state = unsafe text(result, keepsake_postgres_state) else {
        // The library itself says so, because the connection ended.
        return .unknown(message)
      }
      let reason = unsafe Self.line(text(result, keepsake_postgres_message) ?? "it failed")
      // The end of a session may come while its statement is done already, and only waits for a standby.
      let isEnd = unsafe text(result, keepsake_postgres_severity) != "ERROR"
      return isEnd ? .unknown(reason) : PostgresFailure(kind: .refused(state), reason: reason)
    }

    private func text(_ result: OpaquePointer, _ field: Int32) -> String? {
      guard let text = unsafe library.resultErrorField(result, field) else { return nil }
      return unsafe String(cString: text)
    }
  }
#else
  /// Replaces the connection on systems without libpq: every attempt is refused with an error that says so.
  final class PostgresConnection: Sendable {
    init(_ options: [(name: String, value: String)]) throws(PostgresFailure) {
      throw .unreachable("hubs in PostgreSQL are not there on this system")
    }

    var isBroken: Bool { true }
    var isFresh: Bool { false }

    func run(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant
    ) throws(PostgresFailure) -> [PostgresRow] { [] }

    func run(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant, into reader: inout some PostgresRowReader
    ) throws(PostgresFailure) {}

    func send(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant
    ) throws(PostgresFailure) {}

    func giveWay() {}

    func isPrepared(_ statement: PostgresStatement) -> Bool { false }

    var preparedCount: Int { 0 }

    func isAnswered(within time: Duration) -> Bool { false }

    func wholeAnswer(
      to statement: PostgresStatement, until deadline: Instant
    ) throws(PostgresFailure) -> PostgresAnswer { PostgresAnswer() }

    func require(_ tag: String, of answer: PostgresAnswer) throws(PostgresFailure) {}

    func run(
      _ sql: String, expecting tag: String? = nil, until deadline: Instant
    ) throws(PostgresFailure) {}
  }
#endif
