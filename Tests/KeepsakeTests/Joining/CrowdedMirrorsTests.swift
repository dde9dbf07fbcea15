import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// Programs that write to the folders of two stores, and keep syncing them, all at the same time.
@Suite struct `Programs that write and sync at once` {
  /// Two programs use each folder. Every second history also erases and deletes.
  @Test(arguments: RandomHistory.seeds)
  func `come to have the same, and lose nothing`(seed: UInt64) async throws {
    let removes = seed.isMultiple(of: 2)
    try await Mirrors.make { mirrors in
      let programs = try mirrors.stores + mirrors.stores.map { try $0.asAnotherProcess() }
      let isOver = Locked(false)
      let crowd = try await withThrowingTaskGroup(of: SharedCrowd?.self) { group in
        for program in programs {
          group.addTask {
            while !isOver.withLock({ $0 }) {
              let report = try await program.sync()
              try #require(report.failed.isEmpty, "\(report)")
            }
            return nil
          }
        }
        group.addTask {
          defer { isOver.withLock { $0 = true } }
          return try await SharedCrowd(
            of: programs, tasks: 2, steps: RandomHistory.steps / 2, seed: seed, removes: removes,
            parts: true)
        }
        return try #require(try await group.compactMap { $0 }.first { _ in true })
      }
      for program in programs[2...] { await program.close() }
      var reports: [SyncReport] = []
      for _ in 0..<3 { reports = try await mirrors.sync() }
      #expect(
        reports.allSatisfy { $0.failed.isEmpty && $0.aside.isEmpty && $0.sent.isEmpty },
        "\(reports) \(crowd.told)")
      try await mirrors.requireSame(crowd.told)
      try await mirrors.requireSoundHub(crowd.told)
      for store in mirrors.stores {
        #expect(try await store.membership()?.waiting == 0, crowd.told)
        // A session that parts leaves texts in a new session. The crowd does not know to which session such a text belongs, so it can't
        // tell whether the text was deleted.
        if !removes { try await crowd.requireTexts(in: store) }
      }
    }
  }

  @Test func `wait for each other's syncs`() async throws {
    try await Mirrors.make(1) { mirrors in
      try await mirrors.first.createSession().append(.prompt("one"))
      let plan = EventfulHub.Plan()
      let address = mirrors.address
      let slow = HubAddress(address.description) {
        EventfulHub(hub: try await address.open($0), plan: plan)
      }
      var options = Store.Options.withoutIndexing
      options.patience = .milliseconds(50)
      let impatient = try mirrors.first.asAnotherProcess(options: options)
      let patient = try mirrors.first.asAnotherProcess()
      let waiting = Locked<Task<SyncReport, any Error>?>(nil)
      plan.next(.afterCommit) {
        #expect(await keepsakeError { try await impatient.sync() }?.code == .locked)
        waiting.withLock { $0 = Task { try await patient.sync() } }
        try await Task.sleep(for: .milliseconds(50))
      }
      let report = try await mirrors.first.sync(with: slow)
      #expect(report.sent.count == 1 && plan.isDone)
      let task = try #require(waiting.withLock { $0 })
      #expect(try await task.value == SyncReport())
      #expect(try await impatient.sync() == SyncReport())
      for program in [impatient, patient] { await program.close() }
    }
  }

  /// `keepInStep` tries again after another program has synced the store for longer than the store's patience.
  @Test func `keep in step beside a long sync of another program`() async throws {
    try await Mirrors.make(1) { mirrors in
      var options = Store.Options.withoutIndexing
      options.patience = .milliseconds(50)
      let program = try mirrors.first.asAnotherProcess(options: options)
      let lock = try FileLock(path: mirrors.first.handle.layout.syncLockPath)
      #expect(try lock.tryLock())
      let told = Locked<[KeepsakeError.Code?]>([])
      let keeping = Task {
        try await program.keepInStep(
          every: .milliseconds(20),
          telling: { outcome in
            let code: KeepsakeError.Code? =
              if case .failure(let error) = outcome { error.code } else { nil }
            told.withLock { $0.append(code) }
            if code == .locked { try lock.unlock() }
          })
      }
      while !told.withLock({ $0.contains(nil) }) { try await Task.sleep(for: .milliseconds(10)) }
      keeping.cancel()
      await #expect(throws: CancellationError.self) { try await keeping.value }
      #expect(told.withLock { $0.first } == .locked)
      await program.close()
    }
  }

  /// A sync has found an artifact that the hub lacks. Before the sync sends the artifact, another program deletes its session.
  @Test func `sync while one of them deletes what is being sent`() async throws {
    try await Mirrors.make(1) { mirrors in
      let session = try await mirrors.first.createSession()
      try await session.append(.prompt("look"), attaching: [.init(.bytes([1, 2, 3]))])
      let program = try mirrors.first.asAnotherProcess()
      let plan = EventfulHub.Plan()
      let address = mirrors.address
      let slow = HubAddress(address.description) {
        EventfulHub(hub: try await address.open($0), plan: plan)
      }
      plan.next(.beforePut) { try await program.deleteSession(session.id) }
      let report = try await mirrors.first.sync(with: slow)
      #expect(report.failed.isEmpty && plan.isDone)
      await program.close()
      try await mirrors.sync()
      try await mirrors.requireInStep()
      try await mirrors.requireSoundHub()
    }
  }
}
