import Foundation
import KeepsakeTestSupport
import Testing

@testable import KeepsakeCommand

@Suite("keepsake completions")
struct CompletionsTests {
  @Test(arguments: ["bash", "zsh", "fish"])
  func `each shell is told of every command and option`(shell: String) async {
    let run = await CommandRun("completions", shell)
    #expect(run.code == .done)
    for command in Program.commands {
      #expect(run.output.contains(command.declaration.name))
      for option in command.declaration.allOptions {
        #expect(run.output.contains(option.name.dropFirst(2)), "\(option.name)")
        for choice in option.choices { #expect(run.output.contains(choice), "\(choice)") }
      }
    }
  }

  @Test func `a shell that we don't know is a usage error`() async {
    let run = await CommandRun("completions", "fisch")
    #expect(run.code == .usage)
    #expect(run.error.contains("Did you mean 'fish'?"))
  }

  @Test func `what can stand for a session is listed, with its title`() async throws {
    let fruit = try await FruitStore()
    let run = await fruit.run("completions", "sessions")
    #expect(run.code == .done)
    #expect(run.output == "last\tthe newest session\n\(Words.short(fruit.session))\tFruit\n")
    let none = await CommandRun("--store", "/nowhere/a", "completions", "sessions")
    #expect(none.output.isEmpty)
  }

  @Test func `bash completes sessions, by their ids and as last`() async throws {
    let fruit = try await FruitStore()
    let id = Words.short(fruit.session)
    try await Self.expect(
      [
        "keepsake show la": "last", "keepsake show \(id.prefix(6))": id,
        "keepsake rm last \(id.prefix(6))": id, "keepsake export --format json la": "last",
        "keepsake attach last la": "", "keepsake search --session la": "last",
        "keepsake --store \(fruit.path) fork \(id.prefix(6))": id,
        "keepsake --store /nowhere show la": "", "keepsake ls la": "",
      ], store: fruit.path)
  }

  @Test func `bash completes what is typed`() async throws {
    try await Self.expect([
      "keepsake sea": "search", "keepsake --store x sea": "search", "keepsake ls --ta": "--tag",
      "keepsake search --in pr": "prompt", "keepsake show la": "", "keepsake get x -o fi": "",
      "keepsake --store fi": "",
    ])
  }

  /// What bash makes of lines.
  private static func expect(_ cases: KeyValuePairs<String, String>, store: String = "/nowhere")
    async throws
  {
    let folder = try TemporaryFolder()
    let script = folder.path("completions")
    try Data(await CommandRun("completions", "bash").bytes).write(to: URL(filePath: script))
    let programs = KeepsakeProcess.executable.deletingLastPathComponent().path
    let bash = try ProgramRun(
      [
        "bash", "-c",
        """
        source "$1"; shift
        for line; do
          COMP_WORDS=($line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _keepsake
          echo "${COMPREPLY[*]}"
        done
        """, "bash", script,
      ] + cases.map(\.key),
      environment: ["PATH": "\(programs):/usr/bin:/bin", "KEEPSAKE_STORE": store])
    #expect(bash.exitCode == 0, "\(bash.errors)")
    #expect(bash.output == cases.map { "\($0.value)\n" }.joined())
  }
}
