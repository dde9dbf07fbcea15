/// The name, parameters and texts of a command, from which parsing, help, man pages and completions are made.
struct Declaration: Sendable {
  let name: String
  /// The line for the list of commands.
  let summary: String
  /// The details beyond the summary, in sentences.
  let discussion: String
  /// The operands of the command, in order.
  let operands: [Operand]
  let options: [Option]
  /// Example commands, each with a description.
  let examples: [(command: String, does: String)]
  /// Whether an unknown word that begins with a hyphen is an operand, because in a query `-word` excludes a word.
  let takesHyphens: Bool
  /// Whether the output is shown a page at a time if it does not fit the screen.
  let isPaged: Bool
  /// The environment variables that the command reads, beside those of every command.
  let variables: [Variable]

  /// Creates a declaration from a command's parameters and the given texts.
  init(
    of command: some Command, name: String, summary: String, discussion: String = "",
    examples: [(command: String, does: String)], takesHyphens: Bool = false, isPaged: Bool = false,
    variables: [Variable] = []
  ) {
    let parameters = ParameterList(command)
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.operands = parameters.operands
    self.options = parameters.options
    self.examples = examples
    self.takesHyphens = takesHyphens
    self.isPaged = isPaged
    self.variables = variables
  }

  /// An option or an operand.
  enum Parameter: Sendable {
    case option(Option)
    case operand(Operand)

    var name: String {
      switch self {
      case .option(let option): option.name
      case .operand(let operand): operand.name
      }
    }
  }

  /// A parameter without a name before it.
  struct Operand: Sendable {
    let name: String
    let help: String
    var isRequired = true
    /// Whether several may be given, which only the last operand may allow.
    var repeats = false

    var usage: String {
      let name = repeats ? "\(name)…" : name
      return isRequired ? name : "[\(name)]"
    }
  }

  /// A parameter with a name, and with or without a value.
  struct Option: Sendable {
    let name: String
    /// A hyphen and a letter with the same meaning; nil without a short form.
    var short: String?
    /// The name of the value in help texts; nil for a flag.
    var value: String?
    /// The allowed values; empty if any value is allowed.
    var choices: [String] = []
    /// Further values that are accepted, so that the command can explain why it refuses them.
    var refused: [String] = []
    /// Whether the option may be given more than once.
    var repeats = false
    let help: String

    /// The option as help shows it, such as `-o, --output PATH`.
    var usage: String {
      (short.map { "\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "")
    }
  }

  var allOptions: [Option] { options + (isPaged ? Self.pager : []) + Self.common }

  /// The line that shows how the command is called.
  var usage: String {
    (["keepsake", name]
      + options.map { option in
        "[\(option.name)\(option.value.map { " \($0)" } ?? "")]"
      } + operands.map(\.usage)).joined(separator: " ")
  }
}
