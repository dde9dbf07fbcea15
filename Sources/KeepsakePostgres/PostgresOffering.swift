import Keepsake
import KeepsakeFiles

/// Offers that were sent to the server with one statement, and the answer to that statement.
///
/// Sendable without a lock of its own: one thread has the offering at a time.
final class PostgresOffering: @unchecked Sendable {
  let offers: [HubOffer]
  let connection: PostgresSession
  private let statement: PostgresStatement
  /// The moment until which the server may answer; the failure if the offers could not be sent.
  private let deadline: Result<Instant, PostgresFailure>
  /// The answer, once it was read.
  private var rows: Result<[PostgresRow], PostgresFailure>?

  /// Sends offers.
  /// - Parameters:
  ///   - offers: The offers, of different sessions.
  ///   - request: The statement that takes them.
  ///   - connection: The connection over which they are sent.
  ///   - time: The time that the server has for its answer.
  init(
    _ offers: [HubOffer], _ request: PostgresRequest, over connection: PostgresSession,
    within time: Duration
  ) {
    self.offers = offers
    self.connection = connection
    statement = request.statement
    do throws(PostgresFailure) {
      deadline = .success(try connection.send(request, within: time))
    } catch { deadline = .failure(error) }
  }

  /// Lets the server begin, if it shares the processors with this one.
  func giveWay() {
    if case .success = deadline { connection.connection.giveWay() }
  }

  /// Returns the answers to the offers, if the server takes all of them; nil for any other answer, which ``answer()`` gives.
  /// - Parameter time: The time for which this waits at most.
  func answers(within time: Duration) -> [HubAnswer]? {
    guard case .success = deadline, rows != nil || connection.connection.isAnswered(within: time),
      let rows = try? answer(), rows.count == offers.count
    else { return nil }
    var versions: [Int64?] = offers.map { _ in nil }
    for row in rows {
      guard let number = try? Int(row.number(0)) - 1, versions.indices.contains(number),
        let version = try? row.number(1)
      else { return nil }
      versions[number] = version
    }
    let known = versions.compactMap { $0.map(HubAnswer.yes) }
    return known.count == offers.count ? known : nil
  }

  /// Returns the server's answer, and waits for it if it was not read before.
  func answer() throws(PostgresFailure) -> [PostgresRow] {
    if let rows { return try rows.get() }
    let deadline = try deadline.get()
    do throws(PostgresFailure) {
      let read = try connection.connection.wholeAnswer(to: statement, until: deadline).rows
      rows = .success(read)
      return read
    } catch {
      rows = .failure(error)
      throw error
    }
  }
}
