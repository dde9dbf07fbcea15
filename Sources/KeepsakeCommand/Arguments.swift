/// Arguments of one command, sorted into what its declaration names.
struct Arguments: Sendable {
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Sorts the arguments; options may stand anywhere, `--name=value` is `--name value`, and after `--` all are operands.
  init(_ arguments: some Sequence<String>, of declaration: Declaration) throws {
    var rest = Array(arguments)[...]
    var onlyOperands = false
    while let argument = rest.popFirst() {
      guard !onlyOperands, argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      if argument == "--" {
        onlyOperands = true
        continue
      }
      try takeOption(argument, rest: &rest, declaration)
    }
    guard operands.count <= declaration.operands.count else {
      throw UsageError(
        message:
          "'\(declaration.name)' takes no '\(operands[declaration.operands.count])'. Put a value with spaces in quotes.",
        command: declaration.name)
    }
  }

  private mutating func takeOption(
    _ argument: String, rest: inout ArraySlice<String>, _ declaration: Declaration
  ) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    let name = written == "-h" ? "--help" : written
    guard let option = declaration.allOptions.first(where: { $0.name == name }) else {
      let names = declaration.allOptions.map(\.name)
      throw UsageError(
        message:
          "'\(declaration.name)' has no option '\(written)'.\(UsageError.suggestion(for: written, among: names))",
        command: declaration.name)
    }
    guard let value = option.value else {
      guard parts.count == 1 else {
        throw UsageError(message: "'\(name)' takes no value.", command: declaration.name)
      }
      flags.insert(name)
      return
    }
    guard let given = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !given.isEmpty else {
      throw UsageError(
        message: "'\(name)' needs a value: \(name) \(value).", command: declaration.name)
    }
    values[name] = given
  }

  func has(_ name: String) -> Bool { flags.contains(name) }
  func value(_ name: String) -> String? { values[name] }
}
