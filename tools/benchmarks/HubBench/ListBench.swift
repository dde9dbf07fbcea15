import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakePostgres

/// Measures what a store that shares asks of a database with few sessions, and of one with many, by turns in one run.
///
/// Most sessions of a database are only named there: they have a place in its lists and some terms. The newest ones are real, and so
/// are the pages, the audits and the sessions that are read.
struct ListBench {
  private static let real = 60
  private static let entries = 10
  private static let rounds = 15
  let address: HubAddress
  let sessions: Int

  /// Two spaces of one database would share the figures from which a server makes its plans, so each has a database of its own.
  static func run(_ arguments: [String], in folder: URL) async throws {
    guard arguments.count == 4, let few = Int(arguments[1]), let many = Int(arguments[3]) else {
      throw KeepsakeError(.invalid, "lists takes an address and a number of sessions, twice.")
    }
    let benches = [
      ListBench(address: try .postgres(arguments[0]), sessions: few),
      ListBench(address: try .postgres(arguments[2]), sessions: many),
    ]
    var ids: [[UUID]] = []
    for bench in benches { ids.append(try await bench.fill(in: folder)) }
    var times: [String: [[Double]]] = [:]
    for round in 0...rounds {
      for (index, bench) in benches.enumerated() {
        for (name, seconds) in try await bench.measure(ids[index], round, in: folder)
        where round > 0 {
          times[name, default: [[], []]][index].append(seconds)
        }
      }
    }
    print("\(few) and \(many) sessions in the hub     ms        ms   time against fewer")
    for (name, both) in times.sorted(by: { $0.key < $1.key }) {
      let ratio = median(zip(both[1], both[0]).map { $0 / $1 })
      print(
        name.padding(toLength: 34, withPad: " ", startingAt: 0)
          + String(
            format: "%9.2f %9.2f %20.2f", median(both[0]) * 1000, median(both[1]) * 1000, ratio))
    }
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private func store(in folder: URL) async throws -> Store {
    try await Store(
      at: folder.appending(path: "\(UUID().uuidString).keepsake"), joining: address, as: .shared)
  }

  /// Makes the sessions, and returns the real ones.
  private func fill(in folder: URL) async throws -> [UUID] {
    try await Store.makeHub(at: address)
    let hub = try await address.open(.init())
    let batch = 256
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<2 {
        group.addTask { [sessions] in
          for start in stride(from: task * batch, to: sessions, by: 2 * batch) {
            let offers = (start..<min(start + batch, sessions)).map(Self.offer)
            for answer in try await hub.commit(offers) {
              guard case .yes = answer else {
                throw KeepsakeError(.inputOutput, "The hub did not take a commit: \(answer)")
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    await hub.close()
    let writer = try await store(in: folder)
    var ids: [UUID] = []
    for number in 0..<Self.real {
      let session = try await writer.createSession(
        title: "Ship \(number)", tags: number % 3 == 0 ? ["due", "common"] : ["common"])
      ids.append(session.id)
      for entry in 0..<Self.entries { try await session.append(.prompt("\(entry) a banana?")) }
      if number == 7 {
        try await session.append(.response("one"), attaching: [.init(.bytes([1, 2, 3]))])
      }
    }
    await writer.close()
    return ids
  }

  /// The offer of a session that is only named. Each tenth has a tag that is common.
  private static func offer(_ number: Int) -> HubOffer {
    var terms: Set<HubTerm> = [
      HubTerm(.artifact, "\(number)"), HubTerm(.tool, "tool \(number % 50)"),
    ]
    if number % 10 == 0 {
      terms.formUnion([HubTerm(.tag, "common"), HubTerm(.sessionTag, "common")])
    }
    return HubOffer(
      session: UUID(), base: nil, stamp: UUID(), bytes: [UInt8](repeating: 65, count: 200),
      listing: HubListing(
        place: .listed(updated: Int64(number) * 1_000_000), replaced: .all, terms: terms))
  }

  private func measure(_ ids: [UUID], _ round: Int, in folder: URL) async throws -> [(
    String, Double
  )] {
    let store = try await store(in: folder)
    var times: [(String, Double)] = []
    func time(_ name: String, _ body: () async throws -> Int) async throws {
      let start = Instant.now
      let count = try await body()
      precondition(count > 0, "\(name) found nothing")
      times.append((name, (Instant.now - start) / .seconds(1)))
    }
    let id = ids[round % ids.count]
    try await time("1 first read, 10 entries") {
      try await store.session(id).entries.all().count
    }
    try await time("2 first page of 20") { try await store.sessions(limit: 20).sessions.count }
    try await time("3 the same page again") { try await store.sessions(limit: 20).sessions.count }
    try await time("4 with a rare tag") {
      try await store.sessions(.init(tag: "due"), limit: 20).sessions.count
    }
    try await time("5 with a common tag, again") {
      try await store.sessions(.init(tag: "common"), limit: 20).sessions.count
    }
    let artifact = Artifact.ID(SHA256.digest(of: [1, 2, 3]))
    try await time("6 first audit by digest") { try await store.audit(artifact).attachments.count }
    try await time("7 the same audit again") { try await store.audit(artifact).attachments.count }
    try await time("8 the beginning of an id") {
      try await store.session(matching: String(id.uuidString.prefix(13))).count()
    }
    await store.close()
    return times
  }
}
