import Foundation
import Testing

@testable import KeepsakeCommand

@Suite("The command line")
struct ProgramTests {
  @Test func `the version is one line`() async {
    let run = await CommandRun("--version")
    #expect(run.code == .done)
    #expect(run.output == "keepsake \(Program.version)\n")
    #expect(run.error.isEmpty)
  }

  @Test func `help names every command, and every command has help`() async {
    let overview = await CommandRun("--help")
    #expect(overview.code == .done)
    for command in Program.commands {
      let declaration = command.declaration
      #expect(overview.output.contains(declaration.name))
      #expect(overview.output.contains(declaration.summary))
      let page = await CommandRun(declaration.name, "--help")
      #expect(page.code == .done)
      #expect(page.output.contains(declaration.usage))
      for option in declaration.allOptions { #expect(page.output.contains(option.name)) }
      #expect(await CommandRun("help", declaration.name).output == page.output)
      #expect(await CommandRun(declaration.name, "-h").output == page.output)
    }
  }

  @Test(arguments: [
    (["frob"], "keepsake: There is no command 'frob'. See 'keepsake --help'.\n"),
    (["dmeo"], "Did you mean 'demo'?"), (["verfy"], "Did you mean 'verify'?"),
    (["--verison"], "Did you mean '--version'?"),
    (["verify", "--read-dat", "x"], "Did you mean '--read-data'?"),
    (["verify", "--json=1", "x"], "'--json' takes no value"),
    (["verify", "--heads"], "'--heads' needs a value: --heads FILE"),
    (["verify", "a", "b"], "'verify' takes no 'b'"),
    (["help", "frob"], "There is no command 'frob'"),
  ])
  func `what is not understood is told in one sentence, with 64`(
    arguments: [String], message: String
  ) async {
    let run = await CommandRun(list: arguments)
    #expect(run.code == .usage)
    #expect(run.error.contains(message), "\(run.error)")
    #expect(run.error.split(separator: "\n").count == 1)
    #expect(run.output.isEmpty)
  }

  @Test func `without a command it shows what there is, as an error`() async {
    let run = await CommandRun()
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("keepsake [--store PATH] [--read-only] COMMAND"))
  }

  @Test func `what a path or an error holds does not steer the terminal`() async {
    let run = await CommandRun("verify", "/nowhere/\u{1B}[2J\u{202E}x")
    #expect(run.code == .couldNotRun)
    #expect(!run.error.contains("\u{1B}"))
    #expect(!run.error.contains("\u{202E}"))
    #expect(run.error.contains("␛[2J"))
  }

  @Test(arguments: [60, 80, 200])
  func `help fits into the terminal`(width: Int) async {
    for arguments in [["--help"]] + Program.commands.map({ [$0.declaration.name, "--help"] }) {
      let run = await CommandRun(list: arguments, width: width)
      #expect(run.code == .done)
      // What is to be typed is not folded, so that it can be copied.
      for line in run.output.split(separator: "\n") where !line.hasPrefix("  keepsake ") {
        #expect(String(line).columns <= width || line.contains(" | keepsake"), "\(line)")
      }
    }
  }

  @Test func `every command has examples, and they are understood`() throws {
    for command in Program.commands {
      let declaration = command.declaration
      #expect(!declaration.examples.isEmpty, "\(declaration.name)")
      for (example, _) in declaration.examples {
        let words = Self.words(of: example)
        let start = try #require(words.firstIndex(of: "keepsake"), "\(example)")
        #expect(words[start + 1] == declaration.name, "\(example)")
        let rest = words[(start + 2)...].prefix { !["|", "<", ">"].contains($0) }
        try Self.check(Array(rest), of: command)
      }
    }
  }

  private static func check<One: Command>(_ words: [String], of command: One.Type) throws {
    _ = try understand(words, of: command)
  }

  private static func understand<One: Command>(_ words: [String], of _: One.Type) throws
    -> Arguments<One>
  {
    try Arguments<One>(ArgumentWords(words, of: One.declaration))
  }

  /// The words of a line as a shell parts them, as far as examples need it.
  private static func words(of line: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    for character in line + " " {
      if character == "'" {
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    return words
  }

  @Test
  func `options stand before or after their command, joined or apart, and end with two dashes`()
    async throws
  {
    let joined = try Self.understand(
      ["--store=a", "--heads", "h", "--", "--json"], of: VerifyCommand.self)
    #expect(joined.common.store == "a")
    #expect(joined.heads == "h")
    #expect(joined.path == "--json")
    #expect(!joined.json)
    for run in [
      await CommandRun("--store", "/nowhere/a", "verify"),
      await CommandRun("--store=/nowhere/a", "verify"),
      await CommandRun("verify", "--store", "/nowhere/a"),
      await CommandRun("verify", environment: ["KEEPSAKE_STORE": "/nowhere/a"]),
    ] {
      #expect(run.code == .couldNotRun)
      #expect(run.error.contains("There is no store at '/nowhere/a'"))
    }
  }
}
