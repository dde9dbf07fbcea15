#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import Keepsake
  @testable import KeepsakeCommand

  @Suite("Numbers in a damaged database")
  struct StoredNumberTests {
    /// Around everything that a number may be, and what overflows when one is added, multiplied or shifted.
    static let numbers: [Int64] = [.min, -1, 0, 1 << 24, 1 << 31, 1 << 53, 1 << 62, .max]

    /// A column, what it is set to, and whether in one row or in all that may have it.
    struct Case: Sendable, CustomStringConvertible {
      let column: String
      let number: Int64
      let isEverywhere: Bool

      var description: String { "\(column)=\(number)\(isEverywhere ? " everywhere" : "")" }

      var sql: String {
        let parts = column.split(separator: ".")
        // SQLite takes the least number as text only.
        let value = number == .min ? "-9223372036854775807 - 1" : "\(number)"
        let change = "UPDATE OR IGNORE \(parts[0]) SET \(parts[1]) = \(value)"
        let one = "SELECT \(parts[1]) FROM \(parts[0]) WHERE \(parts[1]) IS NOT NULL LIMIT 1"
        return isEverywhere ? change : "\(change) WHERE \(parts[1]) = (\(one))"
      }

      /// Whether a row has the number, and must not: for what a column can hold there is the chain.
      var isWrong: String {
        let parts = column.split(separator: ".").map(String.init)
        guard let range = NumberCheck.columns[parts[0]]?[parts[1]] ?? nil, !range.contains(number)
        else { return "SELECT 0" }
        let value = number == .min ? "-9223372036854775807 - 1" : "\(number)"
        return "SELECT EXISTS (SELECT 1 FROM \(parts[0]) WHERE \(parts[1]) = \(value))"
      }
    }

    static func cases(of columns: [String]) -> [Case] {
      columns.flatMap { column in
        numbers.flatMap { number in
          [false, true].map { Case(column: column, number: number, isEverywhere: $0) }
        }
      }
    }

    /// The cases that once ended a command.
    private static let known: Set = [
      "session.fork_position=-1", "session.fork_position=9223372036854775807 everywhere",
      "session.reach=16777216",
    ]

    /// All of them take long: a sample, and with `KEEPSAKE_ATTACK=all` every one, or with
    /// `KEEPSAKE_ATTACK=artifact.` those of one table.
    static func sample(of cases: [Case]) -> [Case] {
      switch ProcessInfo.processInfo.environment["KEEPSAKE_ATTACK"] {
      case nil: break
      case "all": return cases
      case let name?: return cases.filter { $0.column.hasPrefix(name) }
      }
      return cases.filter { known.contains("\($0)") } + cases.shuffled().prefix(12)
    }

    @Test func `F4: a number in a database that cannot be ends no command, and verify finds it`()
      async throws
    {
      let store = try await FullStore()
      defer { withExtendedLifetime(store) {} }
      let run = DamagedRun(in: store.folder.url)
      let sound = await CommandRun("verify", environment: ["KEEPSAKE_STORE": store.path])
      #expect(sound.code == .done, "\(sound.output)")
      let columns = try FullStore.columns(store.path)
      for column in columns {
        let parts = column.split(separator: ".")
        let count = try FullStore.values(
          store.path, "SELECT count(*) FROM \(parts[0]) WHERE \(parts[1]) IS NOT NULL")
        #expect(count != ["0"], "no row has a number in \(column)")
      }
      let all = Self.cases(of: columns)
      #expect(Self.known.isSubset(of: all.map { "\($0)" }))
      let cases = Self.sample(of: all)
      let list = store.folder.url.appending(path: "cases")
      try Data(cases.map { "\($0)\t\($0.sql)\t\($0.isWrong)" }.joined(separator: "\n").utf8).write(
        to: list)
      let path = store.folder.url.path
      // One that ends the process is told, and the rest are tried all the same.
      for _ in 0..<1000 where run.lines.last != "DONE" {
        await #expect(processExitsWith: .success, "ended by \(run.lines.last ?? "nothing")") {
          [path = path as String] in
          try await Self.attack(in: URL(filePath: path))
        }
      }
      #expect(run.lines.last == "DONE", "ended by \(run.lines.last ?? "nothing")")
      #expect(run.lines.filter { $0.hasPrefix("UNFOUND") || $0.contains("FAILED") } == [])
      try run.keep()
    }

    /// Tries the cases that the journal does not have yet.
    private static func attack(in folder: URL) async throws {
      let run = DamagedRun(in: folder)
      let known = Set(run.lines.map { $0.prefix { $0 != ":" } })
      let list = try String(contentsOf: folder.appending(path: "cases"), encoding: .utf8)
      for line in list.split(separator: "\n") {
        let parts = line.split(separator: "\t").map(String.init)
        guard !known.contains(parts[0][...]) else { continue }
        do {
          var isWrong = false
          let verdict = try await run.attack(parts[0]) { store in
            try FullStore.change(store.path, parts[1])
            // A row that would get the key of another one stays as it was.
            isWrong = try FullStore.values(store.path, parts[2]) == ["1"]
          }
          if verdict == .done, isWrong { try run.note("UNFOUND \(parts[0])") }
        } catch { try run.note("\(parts[0]): FAILED \(error)") }
      }
      try run.note("DONE")
    }
  }
#endif
