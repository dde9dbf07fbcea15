#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The command line as a value, which takes arguments and gives text and an exit code.
package struct Program: Sendable {
  /// The version of the library and of the command.
  package static let version = Store.libraryVersion

  /// The commands in the order in which help lists them. A new command needs a file and a line here.
  static let commands: [any Command.Type] = [
    DemoCommand.self,
    ImportCommand.self,
    WatchCommand.self,
    ListCommand.self,
    ShowCommand.self,
    SearchCommand.self,
    ServeCommand.self,
    MCPCommand.self,
    ArtifactsCommand.self,
    GetCommand.self,
    OpenCommand.self,
    AuditCommand.self,
    ExportCommand.self,
    RescueCommand.self,
    NewCommand.self,
    AppendCommand.self,
    AttachCommand.self,
    SessionStoreCommand.self,
    ForkCommand.self,
    TagCommand.self,
    RenameCommand.self,
    RemoveCommand.self,
    SweepCommand.self,
    CompactCommand.self,
    BackupCommand.self,
    VerifyCommand.self,
    HubCommand.self,
    JoinCommand.self,
    SyncCommand.self,
    LeaveCommand.self,
    LogCommand.self,
    FormatsCommand.self,
    StatsCommand.self,
    DoctorCommand.self,
    CompletionsCommand.self,
    ManCommand.self,
  ]

  private let context: Context

  /// Creates a program with a terminal, an environment and a clock as its only surroundings.
  ///
  /// - Parameters:
  ///   - terminal: The terminal for input and output.
  ///   - environment: The environment variables.
  ///   - now: The clock.
  package init(
    terminal: Terminal, environment: [String: String],
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    context = Context(
      terminal: terminal.cancellable, environment: environment, now: now)
  }

  /// Runs the command that the arguments name.
  ///
  /// An error is printed in one sentence on standard error, and not thrown. If the task is cancelled, the command ends as soon
  /// as it can without leaving incomplete results.
  /// - Parameter arguments: The arguments without the program's own name.
  /// - Returns: The exit code.
  package func run(_ arguments: [String]) async -> ExitCode {
    do {
      return try await dispatch(arguments)
    } catch let error as UsageError {
      let help = error.command.map { "keepsake \($0) --help" } ?? "keepsake --help"
      return tell("\(error.message) See '\(help)'.", .usage)
    } catch let error as CouldNotRun {
      return tell(error.cause.told, Self.isDamage(error.cause) ? .damaged : .couldNotRun)
    } catch let error as KeepsakeError {
      return tell(error.told, Self.isDamage(error) ? .damaged : .failed)
    } catch let error as CommandError {
      return tell(error.message, error.code)
    } catch let error as FormatError {
      return tell(error.told, .failed)
    } catch let error as FileError {
      // A reader that has seen enough, such as `head`, is no failure.
      return error.code == .nobodyReads ? .done : tell(error.told, .failed)
    } catch is CancellationError {
      return tell("Stopped before it was done.", .failed)
    } catch {
      return tell("\(error)", .failed)
    }
  }

  private func dispatch(_ arguments: [String]) async throws -> ExitCode {
    let terminal = context.terminal
    // Options of all commands may come before the command's name.
    var leading: [String] = []
    var mayPage = true
    var rest = arguments[...]
    while let first = rest.first, first.hasPrefix("-") {
      rest.removeFirst()
      switch first {
      case "--read-only": leading.append(first)
      case "--no-pager": mayPage = false
      case "--version":
        try terminal.line("keepsake \(Self.version)")
        return .done
      case "--help", "-h":
        try terminal.line(Help.overview(terminal))
        return .done
      case "--store":
        guard !rest.isEmpty else {
          throw UsageError(message: "'--store' needs a value: --store PATH.")
        }
        leading += [first] + rest.prefix(1)
        rest = rest.dropFirst()
      case _ where first.hasPrefix("--store="): leading.append(first)
      default:
        throw UsageError(
          message:
            "There is no option '\(first)'.\(UsageError.suggestion(for: first, among: ["--version", "--help", "--store", "--read-only", "--no-pager"]))"
        )
      }
    }
    guard let name = rest.popFirst() else {
      try terminal.error(Help.overview(terminal) + "\n")
      return .usage
    }
    if name == "help" {
      guard let topic = rest.first else {
        try terminal.line(Help.overview(terminal))
        return .done
      }
      try terminal.line(Help.page(try Self.command(topic).declaration, terminal))
      return .done
    }
    let command = try Self.command(name)
    return try await run(command.init(), with: leading + rest, mayPage: mayPage)
  }

  private func run<One: Command>(
    _ command: One, with words: [String], mayPage: Bool
  ) async throws -> ExitCode {
    let words = try ArgumentWords(words, of: One.declaration)
    if words.askForHelp {
      try context.terminal.line(Help.page(One.declaration, context.terminal))
      return .done
    }
    let arguments = try Arguments<One>(words)
    guard mayPage, let paging = paging(command, arguments) else {
      return try await command.run(arguments, in: context)
    }
    let paged = Context(
      terminal: paging.paged, environment: context.environment, now: context.now)
    do {
      let code = try await command.run(arguments, in: paged)
      try paging.finish()
      return code
    } catch {
      try paging.finish()
      throw error
    }
  }

  /// Returns the paging for a command's output; nil if no person reads it, or the output is not for a pager.
  private func paging<One: Command>(_ command: One, _ arguments: Arguments<One>) -> Paging? {
    let terminal = context.terminal
    guard One.declaration.isPaged, terminal.isTerminal, terminal.height != nil,
      let start = terminal.startPager, !arguments.pager.noPager,
      command.isPaged(arguments, in: context)
    else { return nil }
    return Paging(terminal, starting: start)
  }

  /// Returns the command with a name; throws with a suggestion if there is none.
  static func command(_ name: String) throws -> any Command.Type {
    guard let command = commands.first(where: { $0.declaration.name == name }) else {
      let names = commands.map { $0.declaration.name } + ["help"]
      throw UsageError(
        message: "There is no command '\(name)'.\(UsageError.suggestion(for: name, among: names))")
    }
    return command
  }

  private func tell(_ message: String, _ code: ExitCode) -> ExitCode {
    do { try context.terminal.note("keepsake: \(message)") } catch {
      // If the message can't be written, the exit code still tells the failure.
    }
    return code
  }

  private static func isDamage(_ error: KeepsakeError) -> Bool {
    error.code == .damaged || error.code == .artifactDamaged || error.code == .artifactMissing
  }
}
