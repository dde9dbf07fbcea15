/// What a command is called and takes: parsing, help, man pages and completions all come from it.
struct Declaration: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What there is to know beyond that, in sentences.
  let discussion: String
  /// What it takes beside options, in order.
  let operands: [Operand]
  let options: [Option]
  /// Commands to try, each with what it does.
  let examples: [(command: String, does: String)]
  /// Whether what begins with a hyphen and is no option is an operand: in a query, `-word` leaves a word out.
  let takesHyphens: Bool
  /// Whether a person reads what it prints a page at a time, where it is more than the screen holds.
  let isPaged: Bool
  /// What it reads of the environment beside what every command does.
  let variables: [Variable]

  /// Says of a command what its parameters don't.
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

  /// Something that a command takes without a name before it.
  struct Operand: Sendable {
    let name: String
    let help: String
    var isRequired = true
    /// Whether several may be given; only the last operand may say so.
    var repeats = false

    var usage: String {
      let name = repeats ? "\(name)…" : name
      return isRequired ? name : "[\(name)]"
    }
  }

  /// Something that a command takes by a name, with or without a value.
  struct Option: Sendable {
    let name: String
    /// A hyphen and a letter that mean the same.
    var short: String?
    /// What its value is called; nil where it takes none.
    var value: String?
    /// The values that there are; any, where none is named.
    var choices: [String] = []
    /// Values beside the choices that the command takes, to say why it can't do what they ask for.
    var refused: [String] = []
    /// Whether it may be given more than once.
    var repeats = false
    let help: String

    /// How help shows it: `-o, --output PATH`.
    var usage: String {
      (short.map { "\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "")
    }
  }

  var allOptions: [Option] { options + (isPaged ? Self.pager : []) + Self.common }

  /// The line that shows how it is called.
  var usage: String {
    (["keepsake", name]
      + options.map { option in
        "[\(option.name)\(option.value.map { " \($0)" } ?? "")]"
      } + operands.map(\.usage)).joined(separator: " ")
  }
}
