import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakePostgres

/// Measures a store that shares the sessions of a database against the bare calls to the database that it makes: the same bytes, in
/// the same statement.
///
/// Both are timed by turns in one run, and what counts is the median of their ratios.
@main
struct HubBench {
  private let address: HubAddress
  private let folder: URL
  private let rounds: Int
  private let text = String(repeating: "a banana ", count: 60)

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2 else {
      FileHandle.standardError.write(
        Data(
          "usage: KeepsakeHubBench postgresql://… [ROUNDS]\n       KeepsakeHubBench lists ADDRESS SESSIONS ADDRESS SESSIONS\n"
            .utf8))
      exit(64)
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keepsake-hub-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if arguments[1] == "lists" {
      return try await ListBench.run(Array(arguments.dropFirst(2)), in: folder)
    }
    let bench = HubBench(
      address: try .postgres(arguments[1]), folder: folder,
      rounds: arguments.count > 2 ? Int(arguments[2]) ?? 7 : 7)
    try await Store.makeHub(at: bench.address)
    try await bench.run()
  }

  private func run() async throws {
    print("append, shared                 appends/s   bare commits/s   time against bare")
    for (tasks, count) in [(1, 300), (16, 60)] {
      var figures: [(ours: Double, bare: Double)] = []
      for round in 0...rounds {
        let pair = (try await appends(tasks, count), try await commits(tasks, count))
        // The first round warms up.
        if round > 0 { figures.append(pair) }
      }
      let all = Double(tasks * count)
      print(
        Self.row(
          "\(tasks) \(tasks == 1 ? "task" : "tasks, a session each")",
          all / Self.median(figures.map(\.ours)), all / Self.median(figures.map(\.bare)),
          Self.median(figures.map { $0.ours / $0.bare })))
    }
    try await firstRead()
  }

  /// The first read of a session that a machine has not seen, against reading the bytes that the hub has of it.
  private func firstRead() async throws {
    let writer = try await store()
    let session = try await writer.createSession()
    for number in 0..<200 { try await session.append(.prompt("\(number) \(text)")) }
    await writer.close()
    let hub = try await address.open(.init())
    var figures: [(ours: Double, bare: Double)] = []
    for _ in 0..<rounds {
      let reader = try await store()
      let start = Instant.now
      let count = try await reader.session(session.id).entries.all().count
      precondition(count == 200)
      let middle = Instant.now
      var after: Int64 = 0
      while true {
        let part = try await hub.versions(of: session.id, after: after, bytes: 8 << 20)
        after = part.versions.last?.version ?? after
        if !part.hasMore { break }
      }
      figures.append(
        ((middle - start) / .seconds(1), (Instant.now - middle) / .seconds(1)))
      await reader.close()
    }
    await hub.close()
    print("")
    print("first read                          ms          bare ms   time against bare")
    print(
      Self.row(
        "200 entries, 201 versions", Self.median(figures.map(\.ours)) * 1000,
        Self.median(figures.map(\.bare)) * 1000, Self.median(figures.map { $0.ours / $0.bare })))
  }

  private func store() async throws -> Store {
    try await Store(
      at: folder.appending(path: "\(UUID().uuidString).keepsake"), joining: address, as: .shared)
  }

  /// The seconds that tasks take to append to a session each.
  private func appends(_ tasks: Int, _ count: Int) async throws -> Double {
    let store = try await store()
    var sessions: [Session] = []
    for _ in 0..<tasks { sessions.append(try await store.createSession()) }
    let start = Instant.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for session in sessions {
        group.addTask { for _ in 0..<count { try await session.append(.prompt(text)) } }
      }
      try await group.waitForAll()
    }
    let seconds = (Instant.now - start) / .seconds(1)
    await store.close()
    return seconds
  }

  /// The seconds that tasks take to commit as many bytes to a session each, with nothing around the calls.
  private func commits(_ tasks: Int, _ count: Int) async throws -> Double {
    let hub = try await address.open(.init())
    // As large as the commit of such an append.
    let bytes = [UInt8](repeating: 65, count: 1500)
    let start = Instant.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          let session = UUID()
          var base: UUID?
          for number in 0..<count {
            // An append moves the session in the hub's lists, and says its tags again.
            let offer = HubOffer(
              session: session, base: base, stamp: UUID(), bytes: bytes,
              listing: HubListing(place: .listed(updated: Int64(number)), replaced: .tags))
            guard case .yes? = try await hub.commit([offer]).first else {
              throw KeepsakeError(.inputOutput, "The hub did not take a commit.")
            }
            base = offer.stamp
          }
        }
      }
      try await group.waitForAll()
    }
    let seconds = (Instant.now - start) / .seconds(1)
    await hub.close()
    return seconds
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func row(_ name: String, _ ours: Double, _ bare: Double, _ ratio: Double) -> String
  {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return name + padded(String(format: "%.0f", ours), 40 - name.count)
      + padded(String(format: "%.0f", bare), 17) + padded(String(format: "%.2f", ratio), 20)
  }
}
