/// Arguments of one command, sorted into what its declaration names.
struct Arguments: Sendable {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  private var flags: Set<String> = []
  /// The command that they are for, so that what is wrong with a value can say so.
  let command: String

  /// Sorts the arguments; options may stand anywhere, `--name=value` is `--name value`, and after `--` all are operands.
  init(_ arguments: some Sequence<String>, of declaration: Declaration) throws {
    command = declaration.name
    var rest = Array(arguments)[...]
    var onlyOperands = false
    while let argument = rest.popFirst() {
      guard !onlyOperands, argument.hasPrefix("-"), argument != "-",
        !declaration.isOperand(argument)
      else {
        operands.append(argument)
        continue
      }
      if argument == "--" {
        onlyOperands = true
        continue
      }
      try takeOption(argument, rest: &rest, declaration)
    }
    if has("--help") { return }
    let most = declaration.operands.last?.repeats == true ? .max : declaration.operands.count
    guard operands.count <= most else {
      throw UsageError(
        message: "'\(command)' takes no '\(operands[most])'. Put a value with spaces in quotes.",
        command: command)
    }
    let missing = declaration.operands.dropFirst(operands.count).first { $0.isRequired }
    if let missing {
      throw UsageError(message: "'\(command)' needs \(missing.usage).", command: command)
    }
  }

  private mutating func takeOption(
    _ argument: String, rest: inout ArraySlice<String>, _ declaration: Declaration
  ) throws {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    guard let option = declaration.option(written) else {
      let names = declaration.allOptions.map(\.name)
      throw UsageError(
        message:
          "'\(command)' has no option '\(written)'.\(UsageError.suggestion(for: written, among: names))",
        command: command)
    }
    let name = option.name
    // An error about an option that all commands take does not point to the help of one command.
    let isCommon = Declaration.Option.common.contains { $0.name == name }
    let command = isCommon ? nil : self.command
    guard let value = option.value else {
      guard parts.count == 1 else {
        throw UsageError(message: "'\(name)' takes no value.", command: command)
      }
      flags.insert(name)
      return
    }
    guard let given = parts.count == 2 ? String(parts[1]) : rest.popFirst(), !given.isEmpty else {
      throw UsageError(message: "'\(name)' needs a value: \(name) \(value).", command: command)
    }
    guard option.choices.isEmpty || (option.choices + option.refused).contains(given) else {
      throw UsageError(
        message:
          "'\(name)' is one of \(option.choices.joined(separator: ", ")), not '\(given)'.\(UsageError.suggestion(for: given, among: option.choices))",
        command: command)
    }
    // What is said last counts, as it does in a shell alias that is added to.
    if option.repeats { values[name, default: []].append(given) } else { values[name] = [given] }
  }

  func has(_ name: String) -> Bool { flags.contains(name) }
  func value(_ name: String) -> String? { values[name]?.last }
  func values(_ name: String) -> [String] { values[name] ?? [] }
}

extension Arguments {
  /// A whole number that is at least so large.
  func number(_ name: String, atLeast least: Int = 1) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), number >= least else {
      throw UsageError(
        message: "'\(name)' takes a whole number from \(least) on, not '\(text)'.",
        command: command)
    }
    return number
  }

  /// Where a page ended.
  func cursor<Cursor: LosslessStringConvertible>(_: Cursor.Type) throws -> Cursor? {
    guard let text = value("--after") else { return nil }
    guard let cursor = Cursor(text) else {
      throw UsageError(
        message: "'--after' takes what a page gave at its end, not '\(text)'.", command: command)
    }
    return cursor
  }
}

extension Declaration {
  func option(_ name: String) -> Option? {
    allOptions.first { $0.name == name || $0.short == name }
  }

  fileprivate func isOperand(_ argument: String) -> Bool {
    takesHyphens && !argument.hasPrefix("--") && option(argument) == nil
  }
}
