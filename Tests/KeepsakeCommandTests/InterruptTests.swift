import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("What ends before it is done")
struct InterruptTests {
  /// Runs a command whose person has stopped it already.
  private func stopped(_ arguments: String..., store: String, width: Int? = nil) async -> CommandRun
  {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await CommandRun(
        list: arguments, width: width, environment: ["KEEPSAKE_STORE": store])
    }
    task.cancel()
    return await task.value
  }

  @Test func `H4: a command that is stopped leaves no half file, and says so`() async throws {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let path = folder.path("out")
    for run in [
      await stopped("get", "last/image_1", "-o", path, store: fruit.path),
      await stopped("export", "last", "-o", path, store: fruit.path),
      await stopped("show", "last", store: fruit.path),
    ] {
      #expect(run.code == .failed)
      #expect(run.output.isEmpty)
      #expect(run.error.contains("Stopped before it was done."))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    #expect(await fruit.run("verify").code == .done)
  }

  @Test func `H4: a reader that has seen enough is no failure`() async throws {
    let fruit = try await FruitStore()
    let error = Locked("")
    let terminal = Terminal(
      output: { _ in
        throw FileError(code: .nobodyReads, message: "Nobody reads.", path: "standard output")
      }, error: { text in error.withLock { $0 += text } })
    let program = Program(terminal: terminal, environment: ["KEEPSAKE_STORE": fruit.path])
    for command in [["ls"], ["show", "last"], ["export", "last"], ["get", "last/image_1"]] {
      #expect(await program.run(command) == .done)
    }
    #expect(error.withLock { $0 }.isEmpty)
  }

  @Test func `H4: a full disk at the other end is a failure`() async throws {
    let fruit = try await FruitStore()
    let terminal = Terminal(
      output: { _ in
        throw FileError(code: .noSpace, message: "It is full.", path: "standard output")
      }, error: { _ in })
    let program = Program(terminal: terminal, environment: ["KEEPSAKE_STORE": fruit.path])
    #expect(await program.run(["ls"]) == .failed)
  }
}
