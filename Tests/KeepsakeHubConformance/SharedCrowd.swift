import Foundation
package import Keepsake
import KeepsakeTestSupport
package import Testing

/// Tasks of several stores that write to the sessions of one hub at the same time, whatever the hub is made of.
package struct SharedCrowd {
  /// The number of steps of a task, which `KEEPSAKE_HISTORY_STEPS` sets.
  package static let steps = LongRun.number("KEEPSAKE_HISTORY_STEPS") ?? 20

  private let writers: [CrowdWriter]

  /// The steps of all tasks, for the reader of a failure.
  package let told: Comment

  /// Has some tasks of each store do some steps at once.
  ///
  /// - Parameters:
  ///   - stores: The stores, which share the sessions of one hub.
  ///   - tasks: The number of tasks of each store.
  ///   - steps: The number of steps of each task.
  ///   - seed: Decides what a task does, as long as the others don't come in between.
  ///   - removes: Whether the tasks also erase and delete.
  ///   - parts: Whether a session may part into two, so that a task has to ask for it again.
  package init(
    of stores: [Store], tasks: Int = 3, steps: Int, seed: UInt64, removes: Bool, parts: Bool = false
  ) async throws {
    let passing: Set<KeepsakeError.Code> =
      removes ? [.notFound, .conflict, .outOfRange] : parts ? [.conflict] : []
    for text in ["a", "b"] { try await stores[0].createSession().append(.prompt(text)) }
    writers = try await withThrowingTaskGroup(of: CrowdWriter.self) { group in
      for (index, store) in stores.enumerated() {
        for task in 0..<tasks {
          let number = UInt64(index * tasks + task)
          group.addTask {
            var writer = CrowdWriter(seed: seed &* 64 &+ number, name: "text \(index).\(task)")
            writer.removes = removes
            for _ in 0..<steps {
              // Another task may delete the session meanwhile, or erase the entry.
              do { try await writer.step(on: store, index) } catch let error as KeepsakeError
                where passing.contains(error.code)
              {}
            }
            return writer
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let deeds = writers.map { $0.deeds.joined(separator: "\n") }.joined(separator: "\n\n")
    told = "seed \(seed):\n\(deeds)"
  }

  /// Expects that a store has all texts that the tasks wrote and no task took away.
  package func requireTexts(in store: Store) async throws {
    let taken = Set(writers.flatMap(\.taken))
    let deleted = Set(writers.flatMap(\.deleted))
    let texts = try await store.texts()
    for writer in writers {
      let said = writer.said.subtracting(taken).filter { text in
        writer.places[text].map { !deleted.contains($0) } ?? true
      }
      #expect(said.subtracting(texts) == [], told)
    }
  }

  /// Makes a hub and two stores that share its sessions, has them write, and expects that both stores have the same afterwards, that a
  /// store that mirrors the hub has it, too, and that nothing is lost.
  package static func run(at address: HubAddress, steps: Int, seed: UInt64) async throws {
    // On a busy machine a task may need many tries until the hub takes its change.
    try await HubStores.make(at: address, [.shared, .shared, .mirror], patience: .seconds(600)) {
      stores in
      let crowd = try await SharedCrowd(
        of: Array(stores[..<2]), steps: steps, seed: seed, removes: seed.isMultiple(of: 2))
      let sync = try await stores[2].sync(with: address)
      #expect(sync.failed.isEmpty && sync.aside.isEmpty, "\(sync) \(crowd.told)")
      try await crowd.requireTexts(in: stores[2])
      var contents: [[UUID: [UInt8]]] = []
      for store in stores {
        contents.append(try await Self.contents(of: store))
        let report = try await store.verify(.init(readData: true))
        #expect(report.findings.filter { $0.severity != .harmless } == [], crowd.told)
      }
      #expect(contents[0] == contents[2] && contents[1] == contents[2], crowd.told)
    }
  }

  /// The commit of each session of a store as a whole.
  private static func contents(of store: Store) async throws -> [UUID: [UInt8]] {
    var contents: [UUID: [UInt8]] = [:]
    for summary in try await store.sessions(limit: 1000).sessions {
      try await store.session(summary.id).refresh()
      for commit in try await store.wholeCommits(of: [summary.id])
      where commit.session == summary.id {
        contents[summary.id] = try commit.encoded()
      }
    }
    return contents
  }
}

extension Store {
  /// The texts of all entries and of their earlier contents.
  package func texts() async throws -> Set<String> {
    var texts: Set<String> = []
    for summary in try await sessions(limit: 1000).sessions {
      let session = try await session(summary.id)
      for entry in try await session.entries(last: 1000) {
        guard let position = entry.position else { continue }
        texts.insert(entry.text)
        texts.formUnion(try await session.revisions(of: position).map(\.entry.text))
      }
    }
    return texts
  }
}
