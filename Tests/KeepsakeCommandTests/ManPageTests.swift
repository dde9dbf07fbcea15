import Foundation
import Testing

@testable import KeepsakeCommand

@Suite("keepsake man")
struct ManPageTests {
  @Test func `a command's page has all that its declaration says`() async {
    for command in Program.commands {
      let declaration = command.declaration
      let run = await CommandRun("man", declaration.name)
      #expect(run.code == .done)
      var said = [declaration.summary, declaration.discussion] + ExitCode.allCases.map(\.help)
      for operand in declaration.operands { said += [operand.name, operand.help] }
      for option in declaration.allOptions {
        said += [option.name, option.short ?? "", option.value ?? "", option.help] + option.choices
      }
      for (example, does) in declaration.examples { said += [example, does] }
      for variable in declaration.variables { said += variable.names + [variable.help] }
      for line in said.joined(separator: "\n").split(separator: "\n") {
        let text = Roff.escaped(line.trimmingCharacters(in: CharacterSet(charactersIn: " ")))
        #expect(run.output.contains(text), "\(declaration.name): \(line)")
      }
      let titles = run.output.split(separator: "\n").filter { $0.hasPrefix(".SH ") }
        .map { String($0.dropFirst(4)).replacing("\"", with: "") }
      let wanted = [
        "NAME", "SYNOPSIS", "DESCRIPTION", "OPERANDS", "OPTIONS", "EXAMPLES", "EXIT STATUS",
        "ENVIRONMENT", "FILES", "SEE ALSO",
      ]
      #expect(titles == wanted.filter { $0 != "OPERANDS" || !declaration.operands.isEmpty })
    }
  }

  @Test func `the program's page lists every command`() async {
    let run = await CommandRun("man")
    #expect(run.code == .done)
    for command in Program.commands {
      let name = Roff.escaped("keepsake-\(command.declaration.name)")
      #expect(run.output.contains(".TP\n\\fB\(name)\\fR(1)\n"), "\(name)")
      #expect(run.output.contains(Roff.escaped(command.declaration.summary)), "\(name)")
    }
    #expect(run.output.contains(Roff.escaped(Program.version)))
  }

  @Test func `every page names itself in one line, as whatis reads it, and others that there are`()
    throws
  {
    let names = Set(ManPage.all.map(\.name))
    #expect(names.count == Program.commands.count + 1)
    for page in ManPage.all {
      let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false)
      let name = Roff.escaped(page.name)
      #expect(lines[0].hasPrefix(".TH \(Roff.escaped(page.name.uppercased())) 1 "))
      #expect(lines[2].hasPrefix("\(name) \\- "), "\(lines[2])")
      #expect(!lines[2].hasSuffix("."))
      let first = try #require(lines[2].dropFirst(name.count + 4).first)
      #expect(first.isLowercase, "\(lines[2])")
      for match in page.text.matches(of: /\\fB(keepsake[a-z\\-]*)\\fR\(1\)/) {
        let other = String(match.1).replacing("\\", with: "")
        #expect(names.contains(other), "\(page.name): \(other)")
        #expect(other != page.name)
      }
    }
    let show = ManPage(declaration: ShowCommand.declaration).text
    #expect(show.hasSuffix("\\fBkeepsake\\fR(1), \\fBkeepsake\\-get\\fR(1)\n"))
  }

  @Test func `every variable that the code reads stands in the manual`() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let known = Set(Variable.all.flatMap(\.names) + ["PATH"])
    var found: Set<String> = []
    for room in ["KeepsakeCommand", "KeepsakeFormats"] {
      let files = try #require(
        FileManager.default.enumerator(
          at: sources.appending(path: room), includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathExtension == "swift" {
        let code = try String(contentsOf: file, encoding: .utf8)
        let names =
          code.matches(of: /environment\["([A-Z_]+)"\]/).map(\.1)
          + code.matches(of: /(?:folder|has)\("([A-Z_]+)"/).map(\.1)
        found.formUnion(names.map(String.init))
      }
    }
    #expect(found.isSuperset(of: ["KEEPSAKE_STORE", "CODEX_HOME", "TMUX"]))
    #expect(found.subtracting(known).isEmpty)
  }

  @Test func `pages are written to files, and replace none unasked`() async throws {
    let folder = try TemporaryFolder()
    let place = folder.url.path
    #expect(await CommandRun("man", "--all", "-o", place).code == .done)
    for page in ManPage.all {
      let file = try Data(contentsOf: URL(filePath: folder.path(page.fileName)))
      #expect(file == Data(page.text.utf8))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place).count == ManPage.all.count)
    #expect(await CommandRun("man", "show", "-o", place).code == .failed)
    #expect(await CommandRun("man", "--all", "-o", place, "--force").code == .done)
    #expect(await CommandRun("man", "show", "-o", folder.path("mine.1")).code == .done)
    #expect(
      try Data(contentsOf: URL(filePath: folder.path("mine.1")))
        == Data(await CommandRun("man", "show", "-o", "-").bytes))
  }

  @Test(arguments: [
    (["man", "shwo"], "Did you mean 'show'?"), (["man", "--all"], "--all -o FOLDER"),
    (["man", "--all", "-o", "/nowhere/a"], "--all -o FOLDER"),
    (["man", "--all", "show", "-o", "."], "and no COMMAND"),
  ])
  func `what can't be printed is told`(arguments: [String], message: String) async {
    let run = await CommandRun(list: arguments)
    #expect(run.code == .usage)
    #expect(run.error.contains(message), "\(run.error)")
    #expect(run.output.isEmpty)
  }

  @Test func `what is written is plain ASCII, and begins no request`() {
    #expect(
      Roff.escaped(#"a\fB -x 'y' "z" `~^"#)
        == #"a\(rsfB \-x \(aqy\(aq \(dqz\(dq \(ga\(ti\(ha"#)
    #expect(Roff.escaped("a…ü→🍌\u{1B}") == #"a...\[u00FC]\[u2192]\[u1F34C] "#)
    var page = Roff()
    page.paragraphs(".so /etc/passwd\n\n\n  'br\n.\n")
    page.macro("SH", "a \"b\"", "")
    page.line([.plain(".x"), .bold("-y"), .italic("Z")])
    #expect(
      page.text == #"""
        \&.so /etc/passwd
        .PP
        \(aqbr
        \&.
        .SH "a \(dqb\(dq" ""
        \&.x\fB\-y\fR\fIZ\fR

        """#)
    for page in ManPage.all {
      #expect(page.text.utf8.allSatisfy { $0 == 10 || 32..<127 ~= $0 }, "\(page.name)")
      #expect(!page.text.contains("\n\n"), "\(page.name)")
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
  func `every page is set without a warning, at any width, and shows what is written`() throws {
    let folder = try TemporaryFolder()
    for page in ManPage.all {
      try Data(page.text.utf8).write(to: URL(filePath: folder.path(page.fileName)))
    }
    var odd = Roff()
    odd.macro("TH", "ODD", "1", "", "", "")
    odd.heading("NAME")
    let lines = [#".dot \fB\e\n(.x"#, "'quote' --not-folded", "`~^ \"q\" | $x % # @ {}", "üöß →"]
    for line in lines { odd.example(line, "x") }
    try Data(odd.text.utf8).write(to: URL(filePath: folder.path("odd.1")))
    for width in [60, 80, 200] {
      let run = try BuiltProgram.bash(
        """
        cd "$2" && for page in *.1; do
          groff -man -Tutf8 -ww -b -P-cbou -rLL=\(width)n "$page" >"$page.txt" || exit
        done
        cat odd.1.txt
        """, folder.url.path)
      #expect(run.status == 0)
      #expect(run.error.isEmpty, "\(run.error)")
      for line in lines { #expect(run.output.contains(line), "\(run.output)") }
    }
    let shown = try String(
      contentsOf: URL(filePath: folder.path("keepsake-show.1.txt")), encoding: .utf8)
    #expect(shown.contains("keepsake show 3f2a --last 20 --tools\n"), "\(shown)")
  }
}
