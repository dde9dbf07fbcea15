/// An option without a value: it is given, or it is not.
struct Flag: Parameter {
  let shown: Declaration.Parameter

  init(_ name: String, short: String? = nil, help: String) {
    shown = .option(Declaration.Option(name: name, short: short, help: help))
  }

  func value(of given: [String]) -> Bool { !given.isEmpty }
}

extension Flag {
  /// JSON in place of what a person reads.
  static let json = Flag("--json", help: "Print JSON.")
  static let force = Flag("--force", help: "Replace a file that is there already.")
}
