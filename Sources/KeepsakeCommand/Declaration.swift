/// What a command is called and takes: parsing and help both come from it.
struct Declaration: Sendable {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What there is to know beyond that, in sentences.
  var discussion = ""
  /// What it takes beside options: names as help shows them, all of which may be left out.
  var operands: [String] = []
  var options: [Option] = []
  /// Commands to try, each with what it does.
  var examples: [(command: String, does: String)] = []

  struct Option: Sendable {
    let name: String
    /// What its value is called; nil where it takes none.
    var value: String?
    let help: String

    /// Options that every command takes.
    static let common = [
      Option(name: "--store", value: "PATH", help: "The store; else $KEEPSAKE_STORE."),
      Option(name: "--help", help: "Show this help."),
    ]
  }

  var allOptions: [Option] { options + Option.common }

  /// The line that shows how it is called.
  var usage: String {
    (["keepsake", name]
      + options.map { option in
        "[\(option.name)\(option.value.map { " \($0)" } ?? "")]"
      } + operands.map { "[\($0)]" }).joined(separator: " ")
  }
}
