import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakePostgres

/// The result of a process that wrote to a hub for about a second, while other processes of the bench wrote, too.
struct HubWorker: Codable {
  /// The work of a process.
  enum Kind: String {
    /// The process appends through a store of its own.
    case store
    /// The process commits in plain C what a store has appended before.
    case plain
  }

  /// The number of appends that the hub acknowledged, including those that the process made before the common start.
  var appends: Int
  /// The number of appends a second after the common start.
  var rate: Double

  private static let time = Duration.seconds(1)
  /// The number of calls that are encoded for plain C, which is more than a process can make in a second.
  private static let mostCalls = 8000

  /// Runs processes of a kind together.
  /// - Parameters:
  ///   - kind: The work of the processes.
  ///   - shop: The database and the folder in which the processes work.
  ///   - sessions: The session of each process. Stores append to it, and plain C does to a new one what stores did to it.
  static func run(_ kind: Kind, _ shop: HubShop, _ sessions: [UUID]) throws -> [HubWorker] {
    try Crew.run(
      sessions.enumerated().map { number, session in
        [
          "--worker", kind.rawValue, shop.addressText, session.uuidString, "\(number)",
          shop.place("worker.keepsake").path,
        ]
      })
  }

  /// Does the work of one process, and reports the result to the process that started it.
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 5, let kind = Kind(rawValue: arguments[0]),
      let session = UUID(uuidString: arguments[2])
    else {
      throw Misuse(message: "A worker takes a kind, an address, a session, a number and a folder.")
    }
    let found =
      switch kind {
      case .store:
        try await append(to: session, arguments[1], named: arguments[3], arguments[4])
      case .plain: try await commit(like: session, arguments[1])
      }
    try Crew.report(found)
  }

  private static func append(
    to id: UUID, _ address: String, named name: String, _ folder: String
  ) async throws -> HubWorker {
    let store = try await Store(
      at: URL(filePath: folder, directoryHint: .isDirectory), joining: try .postgres(address),
      as: .shared)
    let session = try await store.session(id)
    var material = Material()
    let text = material.text()
    // The first append of a process prepares statements, and is not timed.
    try await session.append(.response(label(name, 0) + text))
    try Crew.wait()
    let start = ContinuousClock.now
    let end = start + time
    var count = 1
    while ContinuousClock.now < end {
      try await session.append(.response(label(name, count) + text))
      count += 1
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    try await store.removeTemporary()
    return HubWorker(appends: count, rate: Double(count - 1) / seconds)
  }

  private static func commit(like session: UUID, _ address: String) async throws -> HubWorker {
    let hub = try await PostgresHub.open(at: address)
    let calls = try await HubShop.calls(like: session, count: mostCalls, through: hub)
    let warming = try await HubShop.calls(like: session, count: 2, through: hub)
    await hub.close()
    let plain = PlainHub(try PostgresAddress(address))
    _ = plain.commit(warming)
    try Crew.wait()
    let times = plain.commit(calls, within: time)
    return HubWorker(appends: times.count, rate: Double(times.count) * 1e6 / times.sum)
  }

  /// The beginning of an entry's text, which names the writer and counts its entries.
  private static func label(_ name: String, _ number: Int) -> String { "\(name) \(number): " }

  /// Looks whether the entries of a session are those that processes were told the hub has: each once, and in its writer's order.
  static func check(_ entries: [Entry], of workers: [HubWorker]) throws {
    var next = workers.map { _ in 0 }
    for (position, entry) in entries.enumerated() {
      let words = entry.text.prefix { $0 != ":" }.split(separator: " ").compactMap { Int($0) }
      guard entry.position == position, words.count == 2, next.indices.contains(words[0]),
        next[words[0]] == words[1]
      else {
        throw KeepsakeError(
          .inputOutput, "Entry \(position) of a session that several wrote to is not the next one.")
      }
      next[words[0]] += 1
    }
    guard next == workers.map(\.appends) else {
      throw KeepsakeError(.inputOutput, "A session has other entries than its writers were told.")
    }
  }
}
