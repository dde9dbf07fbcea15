import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakePostgres

/// The place where stores and their hub are measured: a database, and a folder that is removed afterwards.
final class HubShop {
  let address: PostgresAddress
  /// The address as it was given, which other processes are told.
  let addressText: String
  let folder: URL
  let isQuick: Bool
  /// The hub itself, to look at what stores have told it.
  let hub: PostgresHub
  var material = Material()
  /// The rows of measures that count, by their first name.
  private var counted: [String: [Row]] = [:]

  init(_ address: String, in parent: URL, isQuick: Bool) async throws {
    guard PlainHub.isHere else {
      throw KeepsakeError(
        .notFound,
        "libpq is not installed, so that there is nothing to measure. Install it (on Debian: libpq5)."
      )
    }
    self.address = try PostgresAddress(address)
    addressText = address
    self.isQuick = isQuick
    folder = parent.appending(path: "hub-bench-\(UUID().uuidString)")
    hub = try await PostgresHub.open(at: address, making: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() async throws {
    await hub.close()
    try FileManager.default.removeItem(at: folder)
  }

  /// The number of rounds of each measure. A row has the median of its rounds.
  var rounds: Int { isQuick ? 7 : 15 }

  /// Measures something, or returns what was counted before.
  func rows(of measure: HubMeasure) async throws -> [Row] {
    if let rows = counted[measure.names[0]] { return rows }
    let rows = try await measure.run(self, measure.names)
    if measure.isCounted { counted[measure.names[0]] = rows }
    return rows
  }

  /// Returns lines about the machine and the server, which a reader of the figures must know.
  func machine() async throws -> [String] {
    let plain = PlainHub(address)
    func setting(_ name: String) -> String { "\(name) \(plain.ask("SHOW \(name)"))" }
    return [
      Hardware.line,
      "\(plain.ask("SELECT split_part(version(), ' on ', 1)")), \(setting("synchronous_commit")), "
        + "\(setting("fsync")), \(setting("shared_buffers"))",
    ]
  }

  func place(_ name: String) -> URL { folder.appending(path: "\(UUID().uuidString)-\(name)") }

  /// Opens a new store that shares the hub's sessions.
  func sharedStore(at address: String? = nil) async throws -> Store {
    try await Store(
      at: place("shared.keepsake"), joining: try .postgres(address ?? addressText), as: .shared)
  }

  /// The address of a space of its own in the same database, with a hub in it.
  func newSpace() async throws -> String {
    let (plain, space) = (addressText.prefix { $0 != "?" }, UUID().uuidString)
    let others = addressText.dropFirst(plain.count + 1).split(separator: "&")
      .filter { !$0.hasPrefix("keepsake_space=") }
    let query = (others + ["keepsake_space=\(space)"]).joined(separator: "&")
    let address = "\(plain)?\(query)"
    try await Store.makeHub(at: .postgres(address))
    return address
  }
}

// MARK: - The same calls for plain C

extension HubShop {
  /// Encodes the calls that offer the commits of a session once more, to a new session.
  /// - Parameters:
  ///   - session: The session that a store has written.
  ///   - count: The number of calls; nil for one for each commit. Where there are more, commits come again, all but the first.
  func calls(like session: UUID, count: Int? = nil) async throws -> PlainCalls {
    try await Self.calls(like: session, count: count, through: hub)
  }

  static func calls(
    like session: UUID, count: Int? = nil, through hub: PostgresHub
  ) async throws -> PlainCalls {
    let versions = try await Self.versions(of: session, in: hub)
    guard versions.count > 1 else {
      throw KeepsakeError(.inputOutput, "The hub has not got what a store appended.")
    }
    let other = UUID()
    var requests: [PostgresRequest] = []
    var base: UUID?
    for number in 0..<(count ?? versions.count) {
      let again = number < versions.count ? number : 1 + (number - 1) % (versions.count - 1)
      let offer = try versions[again].offered(to: other, on: base)
      requests.append(hub.request(taking: [offer]))
      base = offer.stamp
    }
    return PlainCalls(requests)
  }

  /// Reads all versions of a session, which have no gap.
  static func versions(of session: UUID, in hub: any Hub) async throws -> [HubVersion] {
    var all: [HubVersion] = []
    while true {
      let part = try await hub.versions(
        of: session, after: Int64(all.count), bytes: 8 << 20)
      all += part.versions
      if !part.hasMore { return all }
    }
  }
}
