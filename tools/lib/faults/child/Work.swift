import Foundation
import Keepsake

/// A piece of work that a call of the system may spoil.
struct Work: Sendable {
  let name: String
  /// Opens the store by itself.
  var opens = false
  let run: @Sendable (Trial) async throws -> Void

  static let all: [Work] = [
    Work(name: "open", opens: true) { trial in
      let store = try await trial.open()
      _ = try await trial.session(of: store).append(.prompt("written"))
    },
    Work(name: "open for reading", opens: true) { trial in
      let store = try await trial.open(.readOnly)
      _ = try await trial.session(of: store).entries.all()
    },
    Work(name: "make a store", opens: true) { trial in
      let url = trial.folder.appending(path: "Made.keepsake")
      let made = try await Store(at: url)
      await made.close()
    },
    Work(name: "create a session") { try await $0.store.createSession(title: "Fruit") },
    Work(name: "append") { try await $0.session.append(.prompt("written")) },
    Work(name: "append many") { trial in
      try await trial.session.append((0..<40).map { .prompt("\($0) " + Material.text) })
    },
    Work(name: "append at once") { trial in
      let session = trial.session
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<12 {
          group.addTask { try await session.append(.prompt("\(number)")) }
        }
        try await group.waitForAll()
      }
    },
    Work(name: "attach what is small") { trial in
      try await trial.session.attach(.init(.bytes(Material.bytes(20_000))))
    },
    Work(name: "attach what is large") { trial in
      try await trial.session.attach(.init(.bytes(Material.bytes(600_000))))
    },
    Work(name: "save") { trial in
      try await trial.session.save([.prompt("one"), .response("two")], ifDiverging: .fork)
    },
    Work(name: "revise") { try await $0.session.revise(1, to: .prompt("other")) },
    Work(name: "erase") { try await $0.session.erase(2) },
    Work(name: "fork") { try await $0.session.fork(before: 3) },
    Work(name: "rename") { try await $0.session.rename("Vegetables") },
    Work(name: "a turn") { trial in
      let turn = try await trial.session.openTurn()
      try await trial.session.close(turn, .answered)
    },
    Work(name: "an invocation") { trial in
      let run = try await trial.session.begin(.tool, "Draw")
      try await trial.session.end(run, .finished)
    },
    Work(name: "a draft") { trial in
      let draft = try await trial.session.draft()
      draft.append("half")
      _ = try await draft.finish()
    },
    Work(name: "delete a session") { trial in
      try await trial.store.deleteSession(trial.material.other)
    },
    Work(name: "index") { try await $0.store.indexForSearch() },
    Work(name: "sweep") { try await $0.store.sweep(olderThan: .zero) },
    Work(name: "compact") { try await $0.store.compact() },
    Work(name: "back up") { trial in
      try await trial.store.backup(to: trial.folder.appending(path: "Backup.keepsake"))
    },
  ]

  private init(
    name: String, opens: Bool = false, _ run: @escaping @Sendable (Trial) async throws -> some Any
  ) {
    self.name = name
    self.opens = opens
    self.run = { _ = try await run($0) }
  }
}
