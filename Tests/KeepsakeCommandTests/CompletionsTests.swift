import Foundation
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

  @Test func `bash completes what is typed`() async throws {
    let cases: KeyValuePairs = [
      "keepsake sea": "search", "keepsake --store x sea": "search", "keepsake ls --ta": "--tag",
      "keepsake search --in pr": "prompt", "keepsake show la": "", "keepsake get x -o fi": "",
      "keepsake --store fi": "",
    ]
    let folder = try TemporaryFolder()
    let script = folder.path("completions")
    try Data(await CommandRun("completions", "bash").bytes).write(to: URL(filePath: script))
    let bash = Process()
    let output = Pipe()
    bash.executableURL = URL(filePath: "/bin/bash")
    bash.arguments =
      [
        "-c",
        """
        source "$1"; shift
        for line; do
          COMP_WORDS=($line); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _keepsake
          echo "${COMPREPLY[*]}"
        done
        """, "bash", script,
      ] + cases.map(\.key)
    bash.standardOutput = output
    try bash.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    bash.waitUntilExit()
    #expect(bash.terminationStatus == 0)
    #expect(
      String(decoding: said, as: UTF8.self) == cases.map { "\($0.value)\n" }.joined())
  }
}
