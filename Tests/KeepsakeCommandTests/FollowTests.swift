import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake show --follow")
struct FollowTests {
  @Test func `what is there is shown, then what comes, and what is said anew has a mark`()
    async throws
  {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      let run = LiveRun("show", "last", "--last", "1", "--follow", store: fruit.path)
      #expect(try await run.prints("Here is your banana"))
      #expect(!run.output.contains(FruitStore.prompt))
      try await session.append(.prompt("and a green one?"))
      #expect(try await run.prints("   5  prompt"))
      #expect(try await run.prints("      and a green one?\n"))
      try await session.revise(5, to: .prompt("and a brown one?"))
      #expect(try await run.prints("      revised\n      and a brown one?\n"))
      try await session.attach(.init(.bytes([1, 2, 3]), caption: "a cup"), to: 5)
      #expect(try await run.prints("attached to entry 5"))
      #expect(try await run.prints("a cup"))
      #expect(await run.stop() == .done)
      #expect(run.error.isEmpty)
      #expect(run.output.components(separatedBy: "and a green one?").count == 2)
    }
  }

  @Test func `each line of JSON says in its one member what it is`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      let run = LiveRun("show", "last", "-f", "--last", "2", "--json", store: fruit.path)
      #expect(try await run.prints("Here is your banana"))
      try await session.append(.prompt("one more"))
      #expect(try await run.prints("one more"))
      try await session.revise(5, to: .prompt("two more"))
      #expect(try await run.prints("two more"))
      let failing = try await session.begin(.tool, "Draw")
      try await session.end(failing, .failed, detail: "no paint")
      #expect(try await run.prints("\"failed\""))
      try await store.deleteSession(fruit.session)
      #expect(await run.end() == .done)
      let lines = try run.output.split(separator: "\n").map { try JSON(validating: String($0)) }
      #expect(
        lines.map(\.names) == [
          ["session"], ["entry"], ["entry"], ["entry"], ["revised"], ["ended"], ["deleted"],
        ])
      #expect(lines[0]["session"]?["title"]?.stringValue == FruitStore.title)
      #expect(lines[4]["revised"]?["position"]?.intValue == 5)
      #expect(lines[5]["ended"]?["name"]?.stringValue == "Draw")
    }
  }

  @Test func `on a terminal what streams and runs is drawn again at the bottom, until it is whole`()
    async throws
  {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      let run = LiveRun("show", "last", "--follow", store: fruit.path, width: 60)
      #expect(try await run.prints("Here is your banana"))
      let drawing = try await session.begin(.tool, "Draw")
      #expect(try await run.prints("⋯ Draw"))
      session.report(0.4, note: "peel", of: drawing)
      #expect(try await run.prints("⋯ Draw 40 % peel"))
      try await session.end(drawing, .failed, detail: "no paint")
      #expect(try await run.prints("× Draw failed: no paint"))
      let draft = try await session.draft()
      draft.update("It gr")
      #expect(try await run.prints("It gr\n"))
      draft.update("It grows\u{1B}[2J.")
      #expect(try await run.prints("It grows␛[2J."))
      try await draft.finish()
      // The whole entry: a command that is stopped before writes no more of it.
      #expect(try await run.prints("It grows␛[2J.\n", after: "   5  response"))
      #expect(await run.stop() == .done)
      // What was drawn is taken away before the whole entry is written.
      let end = try #require(run.output.range(of: "   5  response"))
      let before = run.output[..<end.lowerBound]
      #expect(before.hasSuffix("A\r\u{1B}[J\n"), "\(before.suffix(40).debugDescription)")
    }
  }

  @Test func `in a pipe only whole entries are written`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      let run = LiveRun("show", "last", "--follow", store: fruit.path)
      #expect(try await run.prints("Here is your banana"))
      let draft = try await session.draft()
      draft.update("half of")
      try await session.append(.event("beside it"))
      #expect(try await run.prints("beside it"))
      #expect(!run.output.contains("half of"))
      draft.update("half of a banana")
      try await draft.finish()
      #expect(try await run.prints("half of a banana"))
      #expect(await run.stop() == .done)
      #expect(!run.output.contains("\u{1B}"))
    }
  }

  @Test func `what another process does is shown too`() async throws {
    let fruit = try await FruitStore()
    let run = try KeepsakeProcess("show", "last", "--follow", "--json", store: fruit.path)
    defer { run.kill() }
    #expect(try await run.prints("Here is your banana"))
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      try await session.append(.prompt("from elsewhere"))
      #expect(try await run.prints(#""text":"from elsewhere""#))
      try await session.revise(5, to: .prompt("said anew"))
      #expect(try await run.prints(#"{"revised":{"position":5"#))
    }
    #expect(try await run.interrupt() == 130)
    #expect(try run.error.isEmpty)
  }

  @Test func `what its starter has it not hear does not stop it, and a plea to end does`()
    async throws
  {
    let fruit = try await FruitStore()
    let run = try KeepsakeProcess(
      URL(filePath: "/bin/sh"),
      ["-c", #"trap '' INT; exec "$0" show last --follow"#, KeepsakeProcess.executable.path],
      environment: ["KEEPSAKE_STORE": fruit.path])
    defer { run.kill() }
    #expect(try await run.prints("Here is your banana"))
    run.send(SIGINT)
    try await fruit.change { store in
      try await store.session(fruit.session).append(.prompt("after Ctrl-C"))
    }
    #expect(try await run.prints("after Ctrl-C"))
    run.send(SIGTERM)
    #expect(try await run.end() == 130)
  }

  @Test func `one entry can't be followed`() async throws {
    let fruit = try await FruitStore()
    let run = await fruit.run("show", "last", "--follow", "--entry", "1")
    #expect(run.code == .usage)
  }
}
