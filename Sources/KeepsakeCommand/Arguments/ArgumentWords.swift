/// The words of a command line, sorted into the options and operands that a command declares.
struct ArgumentWords: Sendable {
  let declaration: Declaration
  private(set) var operands: [String] = []
  /// The given options by name, with their values; a flag has an empty text for each time that it was given.
  private(set) var options: [String: [String]] = [:]

  /// Sorts words into options, which may be anywhere, and operands.
  ///
  /// `--name=value` means the same as `--name value`, and after `--` all words are operands.
  init(_ words: some Sequence<String>, of declaration: Declaration) throws(UsageError) {
    self.declaration = declaration
    var rest = Array(words)[...]
    var onlyOperands = false
    while let word = rest.popFirst() {
      guard !onlyOperands, word.hasPrefix("-"), word != "-", !declaration.isOperand(word) else {
        operands.append(word)
        continue
      }
      if word == "--" {
        onlyOperands = true
        continue
      }
      try takeOption(word, rest: &rest)
    }
  }

  private mutating func takeOption(
    _ word: String, rest: inout ArraySlice<String>
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let written = String(parts[0])
    guard let option = declaration.option(written) else {
      let names = declaration.allOptions.map(\.name)
      throw UsageError(
        message:
          "'\(declaration.name)' has no option '\(written)'.\(UsageError.suggestion(for: written, among: names))",
        command: declaration.name)
    }
    let name = option.name
    // An error about an option of all commands does not point to the help of one command.
    let isCommon = Declaration.common.contains { $0.name == name }
    let command = isCommon ? nil : declaration.name
    guard let value = option.value else {
      guard parts.count == 1 else {
        throw UsageError(message: "'\(name)' takes no value.", command: command)
      }
      options[name, default: []].append("")
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
    options[name, default: []].append(given)
  }
}

extension ArgumentWords {
  /// Whether the words ask for help, which is given whatever else they ask for.
  var askForHelp: Bool {
    Declaration.common.contains { $0.short == "-h" && options[$0.name] != nil }
  }

  /// Throws if there are too many or too few operands.
  func checkOperands() throws(UsageError) {
    let command = declaration.name
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

  /// Returns the texts that were given for a parameter: none, one, or several.
  func given(for parameter: Declaration.Parameter) -> [String] {
    switch parameter {
    case .option(let option): return options[option.name] ?? []
    case .operand(let operand):
      guard let place = declaration.operands.firstIndex(where: { $0.name == operand.name }) else {
        return []
      }
      let rest = operands.dropFirst(place)
      return Array(operand.repeats ? rest : rest.prefix(1))
    }
  }
}

extension Declaration {
  fileprivate func option(_ name: String) -> Option? {
    allOptions.first { $0.name == name || $0.short == name }
  }

  fileprivate func isOperand(_ word: String) -> Bool {
    takesHyphens && !word.hasPrefix("--") && option(word) == nil
  }
}
