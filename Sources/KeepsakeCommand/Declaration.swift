/// What a command is called and takes: parsing, help, man pages and completions all come from it.
struct Declaration: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What there is to know beyond that, in sentences.
  var discussion = ""
  /// What it takes beside options, in order.
  var operands: [Operand] = []
  var options: [Option] = []
  /// Commands to try, each with what it does.
  var examples: [(command: String, does: String)] = []
  /// Whether what begins with a hyphen and is no option is an operand: in a query, `-word` leaves a word out.
  var takesHyphens = false
  /// Whether a person reads what it prints a page at a time, where it is more than the screen holds.
  var isPaged = false
  /// What it reads of the environment beside what every command does.
  var variables: [Variable] = []

  /// Something that a command takes without a name before it.
  struct Operand: Sendable {
    let name: String
    let help: String
    var isRequired = true
    /// Whether several may be given; only the last operand may say so.
    var repeats = false

    static func required(_ name: String, _ help: String) -> Operand {
      Operand(name: name, help: help)
    }
    static func optional(_ name: String, _ help: String) -> Operand {
      Operand(name: name, help: help, isRequired: false)
    }
    static func several(_ name: String, _ help: String, isRequired: Bool = true) -> Operand {
      Operand(name: name, help: help, isRequired: isRequired, repeats: true)
    }

    var usage: String {
      let name = repeats ? "\(name)…" : name
      return isRequired ? name : "[\(name)]"
    }
  }

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

    /// Options that every command takes.
    static let common = [
      Option(
        name: "--store", value: "PATH",
        help: "The store; else $KEEPSAKE_STORE, else the one in your data folder."),
      Option(name: "--read-only", help: "Change no byte of the store."),
      Option(name: "--help", short: "-h", help: "Show this help."),
    ]

    /// For commands that show much.
    static let noPager = Option(
      name: "--no-pager", help: "Print all of it at once, without $PAGER.")

    /// How help shows it: `-o, --output PATH`.
    var usage: String {
      (short.map { "\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "")
    }
  }

  var allOptions: [Option] { options + (isPaged ? [Option.noPager] : []) + Option.common }

  /// The line that shows how it is called.
  var usage: String {
    (["keepsake", name]
      + options.map { option in
        "[\(option.name)\(option.value.map { " \($0)" } ?? "")]"
      } + operands.map(\.usage)).joined(separator: " ")
  }
}

extension Declaration.Operand {
  static let session = Declaration.Operand.required(
    "SESSION", "A session: its id, a unique beginning of it, or 'last' for the newest.")
  /// Several sessions.
  static func sessions(isRequired: Bool) -> Declaration.Operand {
    .several(session.name, session.help, isRequired: isRequired)
  }
  static let artifact = Declaration.Operand.required(
    "ARTIFACT", "An artifact: its digest, a unique beginning of it, or SESSION/LABEL.")
}

extension Declaration.Option {
  /// JSON in place of what a person reads.
  static let json = Declaration.Option(name: "--json", help: "Print JSON.")
  static let force = Declaration.Option(
    name: "--force", help: "Replace a file that is there already.")

  /// Options of a list that is read page by page.
  static func paging(of things: String, limit: Int) -> [Declaration.Option] {
    [
      .init(name: "--limit", value: "N", help: "At most so many \(things); else \(limit)."),
      .init(
        name: "--after", value: "CURSOR", help: "Go on where a page ended, as it said at its end."),
      .json,
      .init(
        name: "--jsonl",
        help: #"Print a line of JSON for each; then, where there is more, {"next": CURSOR}."#),
    ]
  }
}
