import KeepsakeHubYardstick
import KeepsakePostgres

/// The yardstick: a connection that plain C has.
final class PlainHub: @unchecked Sendable {
  // `@unchecked`: one thread at a time uses the connection.
  private let yardstick: HubYardstick
  private var prepared: Set<String> = []

  static var isHere: Bool { hub_yardstick_is_here() != 0 }

  /// Connects as a hub does, with the same options.
  init(_ address: PostgresAddress) {
    var options: [UInt8] = []
    for (name, value) in address.options {
      options += Array(name.utf8) + [0] + Array(value.utf8) + [0]
    }
    yardstick = hub_yardstick_open(options, options.count)
  }

  deinit { hub_yardstick_close(yardstick) }

  /// Has the server plan the statement of calls, before they are timed.
  func prepare(_ calls: PlainCalls) {
    if prepared.insert(calls.name).inserted {
      hub_yardstick_prepare(yardstick, calls.name, calls.sql)
    }
  }

  /// Runs calls that commit, all or as many as begin within a time, and returns the microseconds that each took.
  func commit(_ calls: PlainCalls, within time: Duration = .seconds(3600)) -> [Double] {
    prepare(calls)
    var times = [Double](repeating: 0, count: Int(calls.calls))
    // The second field of an answer is the number of the version that the offer became.
    let count = hub_yardstick_run(
      yardstick, calls.name, hub_yardstick_shape(calls: calls.calls, values: calls.values),
      calls.bytes, calls.sizes, 1, time / .microseconds(1), &times)
    return Array(times.prefix(Int(count)))
  }

  /// Runs a call that reads, and returns the number of bytes of the answer.
  func read(_ call: PlainCalls) -> Int {
    prepare(call)
    return Int(hub_yardstick_read(yardstick, call.name, call.values, call.bytes, call.sizes))
  }

  /// Runs SQL, and returns the first field of its answer, which is a short text or nothing.
  @discardableResult
  func ask(_ sql: String) -> String {
    var text = [UInt8](repeating: 0, count: 200)
    hub_yardstick_ask(yardstick, sql, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }
}
