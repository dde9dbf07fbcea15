#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeMCP

/// The command `keepsake mcp`, which answers the questions of a model about a store.
struct MCPCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "mcp",
    summary: "Let models and agents ask the store, over the Model Context Protocol.",
    discussion: """
      A program that models work in starts it, and talks to it over standard input and output: an agent
      can then search what was said before, read it, look at its images, and ask who made them. It only
      reads, unless --allow-writes is given; then an agent can also add entries and files, which are
      marked for ever as its own. What an agent reads goes to the service that runs its model.

      With --install it is entered into a client's settings: the change is shown first, and on a
      terminal it asks. The settings as they were are kept in a file beside. --uninstall takes the
      entry away.
      """,
    examples: [
      ("keepsake mcp --install claude-code", "Let Claude Code ask your store."),
      ("keepsake mcp Chats.keepsake", "Answer the program that started it."),
      (
        "keepsake mcp --install codex --allow-writes Agents.keepsake",
        "Let Codex ask a store, and add to it."
      ),
    ],
    variables: Variable.clients)

  let path = Operand.optional("STORE", "The store, in place of --store.")
  let allowWrites = Flag(
    "--allow-writes", help: "Let models add entries and files to the store.")
  let filesFrom = Option(
    "--files-from", value: "DIR", several: .folder,
    help: "With --allow-writes: files in this folder may be taken in; may be given again.")
  let install = Option(
    "--install", value: "CLIENT", as: Reading<ClientProgram>.choice,
    help: "Enter it into this client's settings.")
  let uninstall = Option(
    "--uninstall", value: "CLIENT", as: Reading<ClientProgram>.choice,
    help: "Take it out of this client's settings.")
  let yes = Flag("--yes", short: "-y", help: "Don't ask before settings are changed.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    if arguments.install != nil, arguments.uninstall != nil {
      throw UsageError(
        message: "'--install' and '--uninstall' don't go together. Give one of them.",
        command: "mcp")
    }
    if !arguments.filesFrom.isEmpty, !arguments.allowWrites || arguments.common.readOnly {
      throw UsageError(message: "'--files-from' goes with '--allow-writes'.", command: "mcp")
    }
    let path = URL(
      filePath: try arguments.path ?? context.store(arguments) ?? context.defaultStore()
    ).absoluteURL.path
    if let client = arguments.install {
      let command = ["mcp", path] + Self.options(arguments)
      return try ClientInstallation(client, context).install(command, asking: !arguments.yes)
    }
    if let client = arguments.uninstall {
      return try ClientInstallation(client, context).uninstall(asking: !arguments.yes)
    }
    return try await serve(path, arguments, context)
  }

  private static func options(_ arguments: Arguments<Self>) -> [String] {
    (arguments.allowWrites ? ["--allow-writes"] : [])
      + arguments.filesFrom.flatMap { ["--files-from", $0] }
  }

  /// Answers until the client ends the talk.
  private func serve(
    _ path: String, _ arguments: Arguments<Self>, _ context: Context
  ) async throws -> ExitCode {
    // First of all, so that no line of anything else gets into the talk.
    let talk = try context.terminal.talk()
    let mayWrite = arguments.allowWrites && !arguments.common.readOnly
    let folders =
      arguments.filesFrom.isEmpty
      ? nil : try IntakeFolders(arguments.filesFrom.map { URL(filePath: $0) })
    let access = StoreAccess {
      let options: Store.Options = mayWrite ? .init(access: .readWriteExisting) : .readOnly
      var store = try await Store(at: URL(filePath: path), options: options)
      if !arguments.common.readOnly { store = try await context.reachingHub(store) }
      // A warning is for the person; a client keeps it in its log.
      try? context.warn(of: store)
      return store
    }
    let server = MCPServer(
      access,
      options: .init(version: Program.version, allowsWrites: mayWrite, filesFrom: folders))
    await StdioConnection(server, write: talk.write).run(reading: talk.read)
    await access.close()
    return .done
  }
}
