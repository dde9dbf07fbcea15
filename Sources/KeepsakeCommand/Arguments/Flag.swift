/// An option without a value, which is given or not.
struct Flag: Parameter {
  let shown: Declaration.Parameter

  init(_ name: String, short: String? = nil, help: String) {
    shown = .option(Declaration.Option(name: name, short: short, help: help))
  }

  func value(of given: [String]) -> Bool { !given.isEmpty }
}

extension Flag {
  /// The flag for JSON in place of text for people.
  static let json = Flag("--json", help: "Print JSON.")
  static let force = Flag("--force", help: "Replace an existing file.")
}
