/// One command of the command line: a declaration and what runs.
protocol Command: Sendable {
  static var declaration: Declaration { get }

  init()
  func run(_ arguments: Arguments, in context: Context) async throws -> ExitCode
}

/// What a command has of the world outside.
struct Context: Sendable {
  let terminal: Terminal
  let environment: [String: String]

  /// The store that the arguments or the environment name.
  func store(_ arguments: Arguments) -> String? {
    arguments.value("--store")
      ?? environment["KEEPSAKE_STORE"].flatMap { $0.isEmpty ? nil : $0 }
  }
}
