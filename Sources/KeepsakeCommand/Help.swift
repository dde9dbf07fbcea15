/// What `--help` shows, made from the declarations.
enum Help {
  static func overview(_ terminal: Terminal) -> String {
    let rows = Program.commands.map { ($0.declaration.name, $0.declaration.summary) }
    return """
      Keeps conversations with language models whole: text, tool calls, and what the tools made.

      \(heading("Usage", terminal)) keepsake [--store PATH] [--read-only] COMMAND

      \(table(rows, terminal))

        'keepsake COMMAND --help' tells more of each. Begin with 'keepsake demo'.
      """
  }

  static func page(_ declaration: Declaration, _ terminal: Terminal) -> String {
    var parts = [declaration.summary, "\(heading("Usage", terminal)) \(declaration.usage)"]
    if !declaration.discussion.isEmpty { parts.insert(declaration.discussion, at: 1) }
    parts.append(
      table(declaration.allOptions.map { ($0.usage, help(of: $0)) }, terminal))
    if !declaration.examples.isEmpty {
      parts.append(table(declaration.examples.map { ($0.command, $0.does) }, terminal))
    }
    return parts.joined(separator: "\n\n")
  }

  private static func help(of option: Declaration.Option) -> String {
    option.choices.isEmpty
      ? option.help : "\(option.help) One of \(option.choices.joined(separator: ", "))."
  }

  private static func heading(_ text: String, _ terminal: Terminal) -> String {
    terminal.styled("\(text):", .strong)
  }

  private static func table(_ rows: [(String, String)], _ terminal: Terminal) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, text in
      let gap = String(repeating: " ", count: width - name.count + 3)
      return "  \(terminal.styled(name, .code))\(gap)\(text)"
    }
    .joined(separator: "\n")
  }
}
