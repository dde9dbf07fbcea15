import KeepsakeFiles

#if canImport(CKeepsakePostgres)
  import CKeepsakePostgres
  import Glibc

  extension PostgresConnection {
    /// Runs statements in their order, all in one round trip to the server. With a libpq before version 14, each statement takes a round trip.
    /// - Parameters:
    ///   - requests: The statements. If one fails, those after it are not run.
    ///   - isNamed: Tells whether the server keeps the statements' plans for this connection. A pooler may lose such plans.
    ///   - deadline: The moment after which the connection is given up.
    /// - Returns: The answer to each statement.
    func run(
      together requests: [PostgresRequest], isNamed: Bool, until deadline: Instant
    ) throws(PostgresFailure) -> [PostgresAnswer] {
      guard let begin = unsafe library.enterPipelineMode, let end = unsafe library.exitPipelineMode,
        let sync = unsafe library.pipelineSync
      else { return try runEach(requests, isNamed: isNamed, until: deadline) }
      forgetWarnings()
      guard unsafe begin(connection) == 1 else { throw lost() }
      var steps: [Step] = []
      var planned: Set<PostgresStatement> = []
      for request in requests {
        let statement = request.statement
        if isNamed, !isPrepared(statement), planned.insert(statement).inserted {
          guard sendPrepare(statement) else { throw lost() }
          steps.append(Step(statement: statement, isPlanning: true))
        }
        guard send(statement, request.values, isNamed: isNamed) else { throw lost() }
        steps.append(Step(statement: statement, isPlanning: false))
      }
      guard unsafe sync(connection) == 1 else { throw lost() }
      try flush(until: deadline)
      let outcome = try answers(to: steps, until: deadline)
      guard unsafe end(connection) == 1 else { throw lost() }
      do throws(PostgresFailure) {
        let answers = try outcome.get()
        if requests.contains(where: \.statement.isWriting) { try requireNoWarning() }
        return answers
      } catch { throw noted(error) }
    }

    /// A message that has the server plan an SQL statement, or run one. The server answers each message.
    private struct Step {
      let statement: PostgresStatement
      /// True if the message has the server plan the statement; false if the message has the server run the statement.
      let isPlanning: Bool
    }

    /// Reads the server's answers to several messages that were sent without waiting for an answer. The connection takes new statements after
    /// the last answer.
    private func answers(
      to steps: [Step], until deadline: Instant
    ) throws(PostgresFailure) -> Result<[PostgresAnswer], PostgresFailure> {
      var answers: [PostgresAnswer] = []
      var failure: PostgresFailure?
      for step in steps {
        do throws(PostgresFailure) {
          let answer = try answer(until: deadline)
          if step.isPlanning { notePrepared(step.statement) } else { answers.append(answer) }
        } catch {
          if isBroken { throw error }
          failure = failure ?? error
        }
      }
      guard let last = unsafe try nextResult(until: deadline) else { throw lost() }
      defer { unsafe library.clear(last) }
      guard unsafe library.resultStatus(last).rawValue == keepsake_postgres_together_end else {
        throw lost()
      }
      return failure.map { .failure($0) } ?? .success(answers)
    }

    /// Runs statements one by one, and returns the server's answer to each. Each statement takes a round trip to the server.
    func runEach(
      _ requests: [PostgresRequest], isNamed: Bool, until deadline: Instant
    ) throws(PostgresFailure) -> [PostgresAnswer] {
      var answers: [PostgresAnswer] = []
      for request in requests {
        try send(request.statement, request.values, isNamed: isNamed, until: deadline)
        answers.append(try wholeAnswer(to: request.statement, until: deadline))
      }
      return answers
    }
  }
#else
  extension PostgresConnection {
    func run(
      together requests: [PostgresRequest], isNamed: Bool, until deadline: Instant
    ) throws(PostgresFailure) -> [PostgresAnswer] { [] }
  }
#endif
