#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles
import KeepsakeHTTP
import KeepsakeServer

/// The command `keepsake serve`, which shows the store in a browser and answers programs.
struct ServeCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "serve",
    summary: "Show the store in a browser, live, and answer programs over HTTP.",
    discussion: """
      It listens on this machine alone, and prints a link. The link opens the server once; from then on the
      browser has a cookie. What other programs write appears as it is written. With --read-only nothing can be changed.

      Programs ask /api/1/, which /api/1/openapi.json describes, with 'Authorization: Bearer TOKEN': the token is the
      line in the file of --token-file, which is made where it is missing. --socket listens at a path that only you can open, where
      nobody has to prove anything, unless there is a --token-file. --listen takes another address, for a proxy that encrypts in
      front of it, and only with --token-file; --host says by which name the proxy asks. With --mcp models ask
      at /mcp, with the token as well. The server goes on until Ctrl-C.
      """,
    examples: [
      ("keepsake serve --open", "Look at the store in a browser."),
      ("keepsake serve --read-only --port 8420", "At a port of your own, and nothing is changed."),
      (
        "keepsake serve --socket keepsake.sock",
        "For programs of yours that ask through a socket."
      ),
    ])

  let port = Option(
    "--port", value: "N", as: .number(atLeast: 0), help: "The port; else any that is free.")
  let open = Flag("--open", help: "Open the link on the desktop.")
  let socket = Option(
    "--socket", value: "PATH", as: .text, help: "Listen at a socket in the file system instead.")
  let listen = Option(
    "--listen", value: "ADDRESS", as: .text,
    help: "Listen at another address, which other machines may reach.")
  let host = Option(
    "--host", value: "NAME", several: .text,
    help: "A name by which a proxy asks, as it stands in 'Host'; may be given again.")
  let mcp = Flag("--mcp", help: "Answer models at /mcp, over the Model Context Protocol.")
  let allowWrites = Flag("--allow-writes", help: "With --mcp: let models add entries to the store.")
  let tokenFile = Option(
    "--token-file", value: "FILE", as: .text, help: "The file with the token that programs send.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let options = try Self.options(arguments, context)
    let opener = arguments.open ? try Desktop.opener(context.environment, for: "the link") : nil
    return try await context.withStore(
      arguments, for: options.isReadOnly ? .reading : .takingPart
    ) { store in
      let server: StoreServer
      do { server = try StoreServer(store, options) } catch let error as FileError {
        throw CommandError(message: error.message)
      }
      defer { server.stop(within: .milliseconds(800)) }
      try Self.tell(server, options, context.terminal)
      if let opener, let link = server.invitation() {
        let child = try ChildProcess(starting: opener, [link], environment: context.environment)
        child.leave()
      }
      // Nothing but Ctrl-C ends it.
      while !Task.isCancelled {
        do { try await Task.sleep(for: .seconds(3600)) } catch is CancellationError {}
      }
      return .done
    }
  }

  private static func tell(
    _ server: StoreServer, _ options: StoreServer.Options, _ terminal: Terminal
  ) throws {
    if case .unix(let path) = options.listener { return try terminal.line(path) }
    guard let link = server.invitation() else { return }
    try terminal.line(link)
    try terminal.note("This link opens the server once. Stop it with Ctrl-C.")
  }

  // MARK: - Options

  private static func options(_ arguments: Arguments<Self>, _ context: Context) throws
    -> StoreServer.Options
  {
    func refuse(_ message: String) -> UsageError { UsageError(message: message, command: "serve") }
    var options = StoreServer.Options()
    options.isReadOnly = arguments.common.readOnly
    options.now = context.now
    options.hosts = arguments.host
    for host in options.hosts where HTTPAuthority(host) == nil {
      throw refuse("'--host \(host)' is no host as it stands in 'Host': NAME, or NAME:PORT.")
    }
    let port = arguments.port ?? 0
    guard port <= 65_535 else { throw refuse("'--port' takes a number up to 65535.") }
    switch (arguments.socket, arguments.listen) {
    case (nil, nil): options.listener = .loopback(port: port)
    case (let path?, nil):
      guard arguments.port == nil else {
        throw refuse("'--socket' and '--port' don't go together. Give one of them.")
      }
      guard !arguments.open else {
        throw refuse("No browser opens a socket. Leave out '--socket' or '--open'.")
      }
      options.listener = .unix(path: path)
    case (nil, let address?):
      guard arguments.tokenFile != nil else {
        throw refuse("'--listen' lets other machines in: it needs '--token-file FILE'.")
      }
      guard !ServeAddress.isWildcard(address) || !arguments.host.isEmpty else {
        throw refuse(
          "'--listen \(address)' is every address of this machine, and none of them is a name to ask by: "
            + "say with '--host NAME:PORT' how others ask.")
      }
      options.listener = .address(address, port: port)
    case (_?, _?): throw refuse("'--socket' and '--listen' don't go together. Give one of them.")
    }
    guard arguments.mcp || !arguments.allowWrites else {
      throw refuse("'--allow-writes' goes with '--mcp'.")
    }
    guard !arguments.allowWrites || !options.isReadOnly else {
      throw refuse("'--allow-writes' and '--read-only' don't go together. Give one of them.")
    }
    if arguments.mcp { options.models = arguments.allowWrites ? .mayWrite : .mayRead }
    if let path = arguments.tokenFile { options.token = try TokenFile(path).token() }
    return options
  }
}
