import Foundation
import Testing

@testable import KeepsakeCommand

@Suite("Arguments")
struct ArgumentsTests {
  @Test func `no command declares a name twice`() {
    for command in Program.commands {
      let declaration = command.declaration
      let names =
        declaration.allOptions.flatMap { [$0.name] + ($0.short.map { [$0] } ?? []) }
        + declaration.operands.map(\.name)
      #expect(Set(names).count == names.count, "\(declaration.name): \(names)")
    }
  }

  @Test func `a command is described by its own parameters`() {
    for command in Program.commands {
      let list = ParameterList(command.init())
      let declaration = command.declaration
      #expect(declaration.options.map(\.name) == list.options.map(\.name))
      #expect(declaration.operands.map(\.name) == list.operands.map(\.name))
      // What takes the rest leaves nothing for others.
      #expect(!declaration.operands.dropLast().contains { $0.repeats }, "\(declaration.name)")
      #expect(declaration.isPaged == declaration.allOptions.contains { $0.name == "--no-pager" })
    }
  }

  /// A command that has one of everything.
  private struct Sample: Command {
    static let declaration = Declaration(
      of: Self(), name: "sample", summary: "Takes all that there is.", examples: [])

    let first = Operand.required("FIRST", "One.")
    let second = Operand.optional("SECOND", "Another.")
    let rest = Operand.several("REST", "The others.", isRequired: false)
    let flag = Flag("--flag", short: "-f", help: "Given or not.")
    let number = Option("--number", value: "N", as: .number(atLeast: 2), help: "A number.")
    let usual = Option("--usual", value: "N", as: .number(), else: 7, help: "Another; else 7.")
    let words = Option("--word", value: "WORD", several: .text, help: "Words.")
    let images = Option.images
    let time = Option("--time", value: "TIME", as: .time, help: "A time.")
    let group = Group()

    struct Group: ParameterSet {
      let inner = Option("--inner", value: "TEXT", as: .text, help: "Of a group.")
      let other = Flag("--other", help: "Of a group, too.")
    }

    func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode { .done }
  }

  private static func read(_ words: String...) throws -> Arguments<Sample> {
    try Arguments(ArgumentWords(words, of: Sample.declaration))
  }

  @Test func `what is not given is nothing, or what is usual`() throws {
    let none = try Self.read("a")
    #expect(none.first == "a")
    #expect(none.second == nil)
    #expect(none.rest.isEmpty)
    #expect(!none.flag)
    #expect(none.number == nil)
    #expect(none.usual == 7)
    #expect(none.words.isEmpty)
    #expect(none.images == .auto)
    #expect(none.names == ["FIRST"])
    #expect(none.group.names.isEmpty)
    #expect(!none.pager.noPager)
  }

  @Test func `what is given has the type of its parameter, wherever it stands`() throws {
    let all = try Self.read(
      "-f", "a", "--number", "2", "--word=x", "b", "--usual", "1", "--word", "y", "c",
      "--images=never", "--time", "2h", "--inner", "i", "--number", "3", "d", "--read-only")
    #expect(all.first == "a")
    #expect(all.second == "b")
    #expect(all.rest == ["c", "d"])
    #expect(all.flag)
    // What is said last counts.
    #expect(all.number == 3)
    #expect(all.usual == 1)
    #expect(all.words == ["x", "y"])
    #expect(all.images == .never)
    #expect(all.time == .ago(7200))
    #expect(all.group.inner == "i")
    #expect(all.group.names == ["--inner"])
    #expect(all.common.readOnly)
  }

  @Test(arguments: [
    (["show", "last", "--last", "0"], "'--last' takes a whole number from 1 on, not '0'."),
    (["show", "last", "--last", "x"], "'--last' takes a whole number from 1 on, not 'x'."),
    (["show", "last", "--entry", "-1"], "'--entry' takes a whole number from 0 on, not '-1'."),
    (["ls", "--after", "x"], "'--after' takes what a page gave at its end, not 'x'."),
    (
      ["ls", "--since", "soon"],
      "'--since' takes a date (2026-11-21), a time (2026-11-21T14:53:00Z) or an age (12h, 7d), not 'soon'."
    ),
    (
      ["sweep", "--give-up", "5f"],
      "'--give-up' takes the whole name of an artifact, 'sha256:' and 64 digits, not '5f'."
    ),
    (["rescue", "x", "--limit", "images"], "'--limit' takes NAME=N, not 'images'. The names are "),
    (["stats", "--by", "dya"], "'--by' is one of day, model, session, tool, origin, not 'dya'."),
  ])
  func `a value that is none is refused in the same words everywhere`(
    words: [String], message: String
  ) async {
    let run = await CommandRun(list: words)
    #expect(run.code == .usage)
    #expect(run.error.hasPrefix("keepsake: \(message)"), "\(run.error)")
    #expect(run.error.hasSuffix("See 'keepsake \(words[0]) --help'.\n"), "\(run.error)")
    #expect(run.output.isEmpty)
  }
}
