#if os(Linux) || os(macOS)
  import Foundation
  import Keepsake
  import Testing

  @testable import KeepsakeCommand

  @Suite("Numbers that a person gives")
  struct GivenNumberTests {
    static let limits = [
      ["ls", "--limit"], ["log", "--limit"], ["artifacts", "--limit"], ["search", "a", "--limit"],
      ["audit", "--tool", "GenerateImage", "--limit"], ["show", "last", "--last"],
    ]
    static let positions = [
      ["show", "last", "--entry"], ["fork", "last", "--before"],
    ]
    static let pages = [
      ["ls"], ["log"], ["artifacts"], ["search", "banana"], ["search", "banana", "--ranked"],
      ["audit", "--tool", "GenerateImage"],
    ]

    static let noNumbers = [
      "-1", "-9223372036854775808", "9223372036854775808", "99999999999999999999", "1e18", "1.0",
      "0x10", "١٢", "１２", "1_000", "1,000", "", " 1", "1 ", "½", "NaN", "--1",
    ]
    static let large = ["9223372036854775807", "4611686018427387904", "16777216", "16777215"]

    /// What a cursor is made of, with numbers that no page gives.
    static let cursors: [String] = {
      let numbers: [Int64] = [.min, -1, 0, 1, .max]
      let texts = numbers.flatMap { [String($0), String($0, radix: 36)] }
      return texts
        + texts.flatMap { a in
          texts.flatMap { ["\(a).\($0)", "\(a)-\($0)"] } + [
            "d.\(a)", "r.\(a).\(a).\(a)", "s.\(a).\(a)", "s.\(a)", "r.\(a)",
          ]
        } + ["", ".", "..", "d", "s", "r.1.2", "d.", "s..", "x.1", "1-1", "1:1"]
    }()

    @Test func `F4: a number or a cursor that cannot be is refused, or finds nothing`() async throws
    {
      let fruit = try await FruitStore()
      let run = DamagedRun(in: fruit.folder.url)
      defer { withExtendedLifetime(fruit) {} }
      await #expect(processExitsWith: .success) { [path = fruit.path as String] in
        try await Self.run(on: path)
      }
      #expect(run.lines.last == "DONE", "ended by \(run.lines.last ?? "nothing")")
      #expect(run.lines.filter { $0.hasPrefix("WRONG") } == [])
    }

    private static func run(on path: String) async throws {
      let journal = DamagedRun(in: URL(filePath: path).deletingLastPathComponent())
      func check(_ command: [String], gives codes: [ExitCode]) async throws {
        try journal.note("\(command)")
        let run = await CommandRun(list: command, environment: ["KEEPSAKE_STORE": path])
        if !codes.contains(run.code) { try journal.note("WRONG \(command): \(run.code)") }
      }
      for command in limits + positions {
        let isLimit = limits.contains(command)
        for number in noNumbers + (isLimit ? ["0"] : []) {
          try await check(command + [number], gives: [.usage])
        }
        for number in large {
          try await check(command + [number], gives: [isLimit ? .done : .failed])
        }
      }
      for command in pages {
        for cursor in cursors {
          try await check(command + ["--after", cursor], gives: [.usage, .done, .failed])
        }
      }
      try journal.note("DONE")
    }

    @Test func `sessions from before 1970 are listed page by page like others`() async throws {
      let fruit = try await FruitStore()
      try await fruit.change { store in
        for year in 0..<4 {
          let created = Date(timeIntervalSince1970: -86_400 * 365 * Double(year + 1))
          _ = try await store.createSession(title: "Year \(year)", created: created)
        }
      }
      var titles: [String?] = []
      try await fruit.change { store in
        var cursor: Session.Cursor?
        repeat {
          let page = try await store.sessions(limit: 1, after: cursor)
          titles += page.sessions.map(\.title)
          // As a person copies it from one page to the next.
          cursor = try page.next.map { try #require(Session.Cursor($0.description)) }
        } while cursor != nil
      }
      #expect(titles == ["Fruit", "Year 0", "Year 1", "Year 2", "Year 3"])
    }
  }
#endif
