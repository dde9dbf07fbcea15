/// The help texts, made from the declarations.
enum Help {
  /// The purpose of the program.
  static let summary =
    "Keeps conversations with language models whole: text, tool calls, and what the tools made."
  /// The purpose of `keepsake help`, which is not declared like other commands.
  static let help = "Show what there is, or what a command takes."

  static func overview(_ terminal: Terminal) -> String {
    let rows = Program.commands.map { ($0.declaration.name, $0.declaration.summary) }
    return [
      prose(summary, terminal),
      "\(heading("Usage", terminal)) keepsake [--store PATH] [--read-only] COMMAND",
      table(rows, terminal),
      prose("'keepsake COMMAND --help' tells more of each. Begin with 'keepsake demo'.", terminal),
    ].joined(separator: "\n\n")
  }

  static func page(_ declaration: Declaration, _ terminal: Terminal) -> String {
    var parts = [
      prose(declaration.summary, terminal),
      declaration.usage.folded(to: terminal.width.map { $0 - 7 }).enumerated()
        .map { $0 == 0 ? "\(heading("Usage", terminal)) \($1)" : "       \($1)" }
        .joined(separator: "\n"),
    ]
    if !declaration.discussion.isEmpty {
      parts.insert(prose(declaration.discussion, terminal), at: 1)
    }
    parts.append(
      table(declaration.allOptions.map { ($0.usage, help(of: $0)) }, terminal))
    if !declaration.examples.isEmpty {
      parts.append(table(declaration.examples.map { ($0.command, $0.does) }, terminal))
    }
    return parts.joined(separator: "\n\n")
  }

  /// Returns the help of an option with its choices.
  static func help(of option: Declaration.Option) -> String {
    option.choices.isEmpty
      ? option.help : "\(option.help) One of \(option.choices.joined(separator: ", "))."
  }

  private static func heading(_ text: String, _ terminal: Terminal) -> String {
    terminal.styled("\(text):", .strong)
  }

  /// Lays out names with their descriptions beside them, or below if the names are long.
  private static func table(_ rows: [(String, String)], _ terminal: Terminal) -> String {
    let width = rows.map(\.0.columns).max() ?? 0
    let isBeside = terminal.width.map { width + 5 < $0 / 2 } ?? true
    let margin = String(repeating: " ", count: isBeside ? width + 5 : 6)
    return rows.map { name, text in
      let lines = text.folded(to: terminal.width.map { $0 - margin.count })
      let head = "  \(terminal.styled(name, .code))"
      let gap = isBeside ? String(repeating: " ", count: width - name.columns + 3) : "\n\(margin)"
      return head + gap + lines.joined(separator: "\n\(margin)")
    }
    .joined(separator: "\n")
  }

  /// Folds sentences to the terminal's width; without a width they stay as they were written.
  private static func prose(_ text: String, _ terminal: Terminal) -> String {
    guard let width = terminal.width else { return text }
    return text.split(separator: "\n").joined(separator: " ")
      .folded(to: min(width, 100)).joined(separator: "\n")
  }
}
