import Foundation
import Keepsake
import KeepsakeBenchReport

/// How long the command takes on large stores, from its start to its end, beside the start of other commands.
struct CommandFigures {
  private let workshop: Workshop
  private let large: LargeStore

  init(_ workshop: Workshop, _ large: LargeStore) {
    self.workshop = workshop
    self.large = large
  }

  func rows() async throws -> [Row] {
    guard let command = workshop.command else { return [] }
    let sessions = workshop.isQuick ? 10_000 : 100_000
    let place = workshop.place("sessions.keepsake")
    try await fill(place, sessions: sessions)
    let one = large.old.id.uuidString.lowercased()
    let cases: [(name: String, arguments: [String], goal: Goal)] = [
      ("keepsake --version", ["--version"], .valueAtMost(10)),
      ("keepsake ls, of \(sessions) sessions", ["--store", place.path, "ls"], .valueAtMost(25)),
      (
        "keepsake show --last 20, of \(try await count()) entries",
        ["--store", large.place.path, "show", one, "--last", "20"], .valueAtMost(30)
      ),
      (
        "keepsake search, \(try await count() / 10) hits",
        ["--store", large.place.path, "search", LargeStore.word], .valueAtMost(100)
      ),
    ]
    var comparisons = cases.map { _ in Comparison() }
    var sqlite: [Double] = []
    var version: [Double] = []
    for _ in 0..<workshop.rounds {
      for (index, each) in cases.enumerated() {
        let ours = Self.milliseconds([command] + each.arguments)
        comparisons[index].add(ours, against: Self.milliseconds(["git", "--version"]))
      }
      sqlite.append(Self.milliseconds(["sqlite3", ":memory:", "SELECT 1"]))
      version.append(Self.milliseconds(["git", "--version"]))
    }
    try FileManager.default.removeItem(at: place)
    var rows = cases.indices.map { index in
      let comparison = comparisons[index]
      return Row(
        cases[index].name, value: comparison.value, yardstick: comparison.yardstick,
        ratio: comparison.ratio, unit: "ms", goal: cases[index].goal)
    }
    rows.append(
      Row("sqlite3 :memory: 'SELECT 1'", value: sqlite.median, unit: "ms", goal: .none))
    rows.append(Row("git --version", value: version.median, unit: "ms", goal: .none))
    return rows
  }

  private func count() async throws -> Int {
    var count = 0
    var cursor: Session.Cursor?
    repeat {
      let page = try await large.store.sessions(limit: 1000, after: cursor)
      count += page.sessions.reduce(0) { $0 + $1.entries }
      cursor = page.next
    } while cursor != nil
    return count / 10_000 * 10_000
  }

  private static func milliseconds(_ arguments: [String]) -> Double {
    (0..<5).map { _ in Programs.microseconds(arguments) / 1000 }.median
  }

  /// Many sessions of one entry each; several at a time share a commit.
  private func fill(_ place: URL, sessions count: Int) async throws {
    let store = try await Store(at: place)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for part in 0..<64 {
        group.addTask {
          for number in stride(from: part, to: count, by: 64) {
            let session = try await store.createSession(title: "Session \(number)")
            try await session.append(.prompt("What is the capital of country number \(number)?"))
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.indexForSearch()
    await store.close()
  }
}
