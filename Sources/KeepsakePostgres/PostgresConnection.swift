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
    private let library: keepsake_postgres_library
    @safe private let connection: OpaquePointer
    /// The number of warnings that came since the last statement was sent.
    @safe private let warnings: UnsafeMutablePointer<Int32>
    /// The names of the statements that the server has planned for this connection.
    private var prepared: Set<String> = []
    /// Tells whether the connection can't be used any more.
    private(set) var isBroken = false

    /// Connects to a server.
    /// - Parameter options: The names and values that libpq knows.
    /// - Throws: A `PostgresFailure` that is `unreachable`.
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
      let made = unsafe library.connectdbParams(
        names.map { unsafe UnsafePointer($0) }, values.map { unsafe UnsafePointer($0) }, 0)
      guard let made = unsafe made else { throw .unreachable("there is no memory left") }
      unsafe connection = made
      warnings = .allocate(capacity: 1)
      unsafe warnings.initialize(to: 0)
      guard unsafe library.status(made) == CONNECTION_OK else { throw .unreachable(message) }
      _ = unsafe library.setNoticeReceiver(made, Self.receive, warnings)
      // Otherwise sending much could wait for ever.
      guard unsafe library.setnonblocking(made, 1) == 0 else { throw .unreachable(message) }
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
      return try rows(of: statement, until: deadline)
    }

    /// Sends a statement as ``run(_:_:isNamed:until:)`` does. Whoever sends it reads its rows afterwards.
    func send(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant
    ) throws(PostgresFailure) {
      if isNamed, !isPrepared(statement) { try prepare(statement, until: deadline) }
      warnings.pointee = 0
      guard send(statement, values, isNamed: isNamed) else { throw lost() }
      try flush(until: deadline)
    }

    /// Lets other threads run on this processor first. Often that is a server on this machine that was just woken by what was sent. Its
    /// disk works while this thread does something else.
    func giveWay() { _ = sched_yield() }

    /// Tells whether the server has planned a statement for this connection.
    func isPrepared(_ statement: PostgresStatement) -> Bool { prepared.contains(statement.name) }

    /// Runs SQL without values, which may be several statements.
    /// - Parameter tag: What the server has to say about the last of them, where that matters.
    func run(
      _ sql: String, expecting tag: String? = nil, until deadline: Instant
    ) throws(PostgresFailure) {
      warnings.pointee = 0
      guard unsafe library.sendQuery(connection, sql) == 1 else { throw lost() }
      var last = ""
      _ = try answer(until: deadline, &last)
      guard let tag else { return }
      // A transaction that failed answers COMMIT with ROLLBACK, and no error.
      guard last == tag else {
        throw PostgresFailure(kind: .refused("40000"), reason: "the transaction was rolled back")
      }
      if warnings.pointee > 0 {
        isBroken = true
        throw .unknown("the server warned about it")
      }
    }

    private func prepare(
      _ statement: PostgresStatement, until deadline: Instant
    ) throws(PostgresFailure) {
      let isSent = unsafe library.sendPrepare(connection, statement.name, statement.sql, 0, nil)
      guard isSent == 1 else { throw lost().beforeSending }
      do throws(PostgresFailure) { _ = try answer(until: deadline) } catch {
        // Behind a pooler another client may have prepared the statement of this name, which is the same one.
        guard error.state == "42P05" else { throw error.beforeSending }
      }
      prepared.insert(statement.name)
    }

    private func send(
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
    private func lost() -> PostgresFailure {
      isBroken = true
      return .unknown(message)
    }

    private func answer(until deadline: Instant) throws(PostgresFailure) -> [PostgresRow] {
      var tag = ""
      return try answer(until: deadline, &tag)
    }

    /// Waits for the rows of a statement that was sent.
    func rows(
      of statement: PostgresStatement, until deadline: Instant
    ) throws(PostgresFailure) -> [PostgresRow] {
      do throws(PostgresFailure) {
        let rows = try answer(until: deadline)
        // A wait for a standby that was cancelled ends with nothing but a warning.
        if statement.isWriting, warnings.pointee > 0 {
          isBroken = true
          throw .unknown("the server warned about it")
        }
        return rows
      } catch {
        if let state = error.state, ["26000", "0A000"].contains(state) { prepared = [] }
        throw error
      }
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

    /// Waits for the answer to what was sent.
    private func answer(
      until deadline: Instant, _ tag: inout String
    ) throws(PostgresFailure) -> [PostgresRow] {
      try flush(until: deadline)
      var rows: [PostgresRow] = []
      var failure: PostgresFailure?
      while true {
        while unsafe library.isBusy(connection) == 1 {
          try wait(for: POLLIN, until: deadline)
          guard unsafe library.consumeInput(connection) == 1 else { throw lost() }
        }
        guard let result = unsafe library.getResult(connection) else { break }
        defer { unsafe library.clear(result) }
        switch unsafe library.resultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
          rows = unsafe self.rows(result)
          if let text = unsafe library.cmdStatus(result) { tag = unsafe String(cString: text) }
        default:
          if failure == nil { failure = unsafe self.failure(result) }
        }
      }
      if let failure {
        if failure.state == nil { isBroken = true }
        throw failure
      }
      return rows
    }

    private func flush(until deadline: Instant) throws(PostgresFailure) {
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

    private func rows(_ result: OpaquePointer) -> [PostgresRow] {
      let (rows, fields) = unsafe (library.ntuples(result), library.nfields(result))
      return (0..<rows).map { row in
        PostgresRow(
          fields: (0..<fields).map { field in
            guard unsafe library.getisnull(result, row, field) == 0,
              let start = unsafe library.getvalue(result, row, field)
            else { return nil }
            let count = Int(unsafe library.getlength(result, row, field))
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
          })
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

    func send(
      _ statement: PostgresStatement, _ values: [PostgresValue], isNamed: Bool,
      until deadline: Instant
    ) throws(PostgresFailure) {}

    func giveWay() {}

    func isPrepared(_ statement: PostgresStatement) -> Bool { false }

    func isAnswered(within time: Duration) -> Bool { false }

    func rows(
      of statement: PostgresStatement, until deadline: Instant
    ) throws(PostgresFailure) -> [PostgresRow] { [] }

    func run(
      _ sql: String, expecting tag: String? = nil, until deadline: Instant
    ) throws(PostgresFailure) {}
  }
#endif
