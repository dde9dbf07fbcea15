import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("A page at a time")
struct PagingTests {
  /// A command on a terminal with a pager, and what came where.
  private struct Run {
    var code = ExitCode.failed
    var shown = ""
    var paged = ""
    var isFinished = false
    var notes = ""

    init(
      _ arguments: String..., store: String, height: Int = 5, isTerminal: Bool = true,
      quits: Bool = false
    ) async {
      let (output, pager, notes) = (Locked(""), Locked(""), Locked(""))
      let isFinished = Locked(false)
      var terminal = Terminal(
        isTerminal: isTerminal, width: isTerminal ? 80 : nil, height: isTerminal ? height : nil,
        output: { bytes in output.withLock { $0 += String(decoding: bytes, as: UTF8.self) } },
        error: { text in
          // A message that came while the pager is on the screen would be written over.
          if isTerminal, !pager.withLock({ $0.isEmpty }) {
            #expect(isFinished.withLock { $0 })
          }
          notes.withLock { $0 += text }
        })
      terminal.startPager = {
        Pager(
          write: { bytes in
            if quits {
              throw FileError(code: .nobodyReads, message: "Nobody reads.", path: "pager")
            }
            pager.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          }, finish: { isFinished.withLock { $0 = true } })
      }
      code = await Program(terminal: terminal, environment: ["KEEPSAKE_STORE": store])
        .run(arguments)
      shown = output.withLock { $0 }
      paged = pager.withLock { $0 }
      self.isFinished = isFinished.withLock { $0 }
      self.notes = notes.withLock { $0 }
    }
  }

  @Test func `on a terminal a pager shows what is more than a screen, and only that`() async throws
  {
    let fruit = try await FruitStore()
    let long = await Run("show", "last", store: fruit.path)
    #expect(long.code == .done)
    #expect(long.shown.isEmpty)
    #expect(long.paged.contains("Here is your banana"))
    #expect(long.paged.contains("You draw fruit."), "It has the beginning, too.")
    #expect(long.isFinished)
    let short = await Run("ls", store: fruit.path)
    #expect(short.paged.isEmpty)
    #expect(short.shown.contains("Fruit"))
    let high = await Run("show", "last", store: fruit.path, height: 200)
    #expect(high.paged.isEmpty)
    #expect(high.shown == long.paged)
  }

  @Test func `in a pipe, and with --no-pager, nothing is paged`() async throws {
    let fruit = try await FruitStore()
    for run in [
      await Run("show", "last", store: fruit.path, isTerminal: false),
      await Run("show", "last", "--no-pager", store: fruit.path),
      await Run("--no-pager", "show", "last", store: fruit.path),
    ] {
      #expect(run.code == .done)
      #expect(run.paged.isEmpty)
      #expect(run.shown.contains("Here is your banana"))
    }
  }

  @Test func `who leaves the pager early has seen enough`() async throws {
    let fruit = try await FruitStore()
    let run = await Run("show", "last", store: fruit.path, quits: true)
    #expect(run.code == .done)
    #expect(run.notes.isEmpty)
    #expect(run.isFinished)
  }

  @Test func `what is said beside it comes when the pager is gone`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      for number in 0..<9 { _ = try await store.createSession(title: "Bowl \(number)") }
    }
    let run = await Run("ls", "--limit", "7", store: fruit.path)
    #expect(run.paged.contains("Bowl 8"))
    #expect(run.notes.contains("There is more: --after "))
  }

  @Test func `the person's pager is asked for, and none where it is cat`() {
    #expect(Terminal.pagerCommand(["PAGER": "most -s"]) == "most -s")
    #expect(Terminal.pagerCommand(["PAGER": ""]) == nil)
    #expect(Terminal.pagerCommand(["PAGER": "cat", "PATH": "/bin"]) == nil)
    #expect(Terminal.pagerCommand(["PATH": "/nowhere"]) == nil)
    #expect(Terminal.pagerEnvironment(["LESS": "S"])["LESS"] == "S")
    #expect(Terminal.pagerEnvironment([:])["LESS"] == "FRX")
  }

  @Test func `a pager is given all of it, and is waited for`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("shown")
    let pager = try PagerProcess(
      "sleep 0.2; cat > '\(file)'", environment: ["PATH": "/usr/bin:/bin"])
    let text = String(repeating: "a line\n", count: 50_000)
    try pager.write(Array(text.utf8))
    pager.finish()
    #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
  }
}
