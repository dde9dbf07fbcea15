/// A page of the manual for the program or one of its commands, made from the declarations.
struct ManPage {
  /// The declaration of the command; nil for the program as a whole.
  let declaration: Declaration?

  /// The pages of the program and of all its commands, in order.
  static var all: [ManPage] {
    [ManPage(declaration: nil)] + Program.commands.map { ManPage(declaration: $0.declaration) }
  }

  /// The name with which `man` finds the page.
  var name: String { declaration.map { "keepsake-\($0.name)" } ?? "keepsake" }

  /// The name of the page's file, with the section after a dot.
  var fileName: String { "\(name).1" }

  /// The page in the language of man pages.
  var text: String {
    var page = Roff()
    // The page has no date, so that the same version always gives the same pages.
    page.macro("TH", name.uppercased(), "1", "", "Keepsake \(Program.version)", "Keepsake")
    page.heading("NAME")
    page.line([.plain("\(name) - \(Self.clause(declaration?.summary ?? Help.summary))")])
    if let declaration {
      Self.write(declaration, &page)
    } else {
      Self.writeProgram(&page)
    }
    return page.text
  }

  private static func write(_ declaration: Declaration, _ page: inout Roff) {
    page.heading("SYNOPSIS")
    page.macro("SY", "keepsake \(declaration.name)")
    for option in declaration.options { write(synopsis: option, &page) }
    for operand in declaration.operands {
      page.line(
        operand.isRequired
          ? [.italic(operand.shown)] : [.plain("["), .italic(operand.shown), .plain("]")])
    }
    page.macro("YS")
    page.heading("DESCRIPTION")
    page.paragraphs(
      [declaration.summary, declaration.discussion].filter { !$0.isEmpty }
        .joined(separator: "\n\n"))
    if !declaration.operands.isEmpty {
      page.heading("OPERANDS")
      for operand in declaration.operands { page.item([.italic(operand.shown)], operand.help) }
    }
    page.heading("OPTIONS")
    for option in declaration.allOptions { write(option, &page) }
    write(declaration.examples, &page)
    writeExitCodes(&page)
    let variables =
      Variable.common + (declaration.isPaged ? [.paging] : []) + declaration.variables
    write(variables, &page)
    writeFiles(&page)
    let related = Program.commands.map { $0.declaration }.filter(declaration.mentions)
    page.heading("SEE ALSO")
    page.line(references(["keepsake"] + related.map { "keepsake-\($0.name)" }))
  }

  private static func writeProgram(_ page: inout Roff) {
    page.heading("SYNOPSIS")
    page.macro("SY", "keepsake")
    for option in Declaration.common.prefix(2) { write(synopsis: option, &page) }
    page.line([.italic("COMMAND"), .plain(" [...]")])
    page.macro("YS")
    page.macro("SY", "keepsake help")
    page.line([.plain("["), .italic("COMMAND"), .plain("]")])
    page.macro("YS")
    page.macro("SY", "keepsake --version")
    page.macro("YS")
    page.heading("DESCRIPTION")
    page.paragraphs(
      """
      \(Help.summary)
      It records sessions and their entries, and the images, sound and files in them. An artifact's
      exact bytes are kept once, named by their SHA-256, and linked to the entry and the tool call
      that made them.

      A store is a folder, and SQLite opens its database. Any number of processes may use it at
      once. There is no server. Begin with 'keepsake demo'.
      """)
    page.heading("COMMANDS")
    for command in Program.commands {
      let declaration = command.declaration
      page.item([.bold("keepsake-\(declaration.name)"), .plain("(1)")], declaration.summary)
    }
    page.item([.bold("keepsake help"), .plain(" ["), .italic("COMMAND"), .plain("]")], Help.help)
    page.heading("OPTIONS")
    page.fill("These stand before the command, or anywhere behind it; --version stands alone.")
    for option in Declaration.common + Declaration.pager { write(option, &page) }
    page.item([.bold("--version")], "Print the version.")
    page.item([.bold("--")], "What comes behind it is no option, whatever it begins with.")
    write([("keepsake demo", "See what it does, in a minute.")] + firstExamples, &page)
    writeExitCodes(&page)
    write(Variable.all, &page)
    writeFiles(&page)
    page.heading("SEE ALSO")
    page.line(references(Program.commands.map { "keepsake-\($0.declaration.name)" }))
  }

  /// The first example of each command that people use first.
  private static var firstExamples: [(command: String, does: String)] {
    [ImportCommand.declaration, SearchCommand.declaration, ShowCommand.declaration]
      .compactMap(\.examples.first)
  }

  private static func write(synopsis option: Declaration.Option, _ page: inout Roff) {
    if let value = option.value {
      page.macro("OP", option.name, value)
    } else {
      page.macro("OP", option.name)
    }
  }

  private static func write(_ option: Declaration.Option, _ page: inout Roff) {
    var term: [Roff.Span] = option.short.map { [.bold($0), .plain(", ")] } ?? []
    term.append(.bold(option.name))
    if let value = option.value { term += [.plain(" "), .italic(value)] }
    page.item(term, Help.help(of: option))
  }

  private static func write(
    _ examples: [(command: String, does: String)], _ page: inout Roff
  ) {
    page.heading("EXAMPLES")
    for (command, does) in examples { page.example(command, does) }
  }

  private static func writeExitCodes(_ page: inout Roff) {
    page.heading("EXIT STATUS")
    for code in ExitCode.allCases { page.item([.bold("\(code.rawValue)")], code.help) }
    page.item([.bold("130")], "It was interrupted, and left nothing half done.")
  }

  private static func write(_ variables: [Variable], _ page: inout Roff) {
    page.heading("ENVIRONMENT")
    for variable in variables {
      page.item([.bold(variable.names.joined(separator: ", "))], variable.help)
    }
  }

  private static func writeFiles(_ page: inout Roff) {
    page.heading("FILES")
    #if canImport(Darwin)
      let place = "~/Library/Application Support/keepsake/Default.keepsake"
    #else
      let place = "~/.local/share/keepsake/Default.keepsake"
    #endif
    page.item([.italic(place)], "The store, where nothing names another.")
    page.item(
      [.italic("STORE/store.sqlite"), .plain(", "), .italic("STORE/artifacts")],
      "What a store holds, and its larger artifacts. Nothing else is to write there.")
  }

  private static func references(_ names: [String]) -> [Roff.Span] {
    names.enumerated().flatMap { index, name -> [Roff.Span] in
      [.plain(index == 0 ? "" : ", "), .bold(name), .plain("(1)")]
    }
  }

  /// Returns a summary as a clause, to follow a name.
  private static func clause(_ sentence: String) -> String {
    let end = sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
    return end.prefix(1).lowercased() + end.dropFirst()
  }
}

extension Declaration.Operand {
  /// The name of the operand, with dots if several may be given.
  fileprivate var shown: String { repeats ? "\(name)…" : name }
}

extension Declaration {
  /// Returns whether the texts of this command mention another one, as `'show --json'` or `'keepsake show'`.
  fileprivate func mentions(_ other: Declaration) -> Bool {
    guard other.name != name else { return false }
    let said = ([discussion] + options.map(\.help)).joined(separator: " ")
      .replacing("\n", with: " ")
    return ["'keepsake \(other.name)", "'\(other.name)"].contains {
      said.contains("\($0)'") || said.contains("\($0) ")
    }
  }
}
