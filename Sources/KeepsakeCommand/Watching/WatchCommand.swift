#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The command `keepsake watch`, which imports what coding agents write, while they write it.
struct WatchCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "watch",
    summary: "Import what coding agents write, as they write it, before they delete it.",
    discussion: """
      The command follows the folders where Claude Code, Codex, Gemini CLI and llm keep their
      sessions on this machine, even folders that do not exist yet, or else the named folders. It
      first imports what is there, and then each new record when it is complete. The files are only
      read. What an agent deletes stays in the store, and if an agent rewrites a session, both
      versions stay.

      The watch can be stopped or killed at any time, and goes on from there when it is started
      again. If the disk is full, it says so, waits, and goes on. A store has one watch at most.
      """,
    examples: [
      ("keepsake watch", "Follow what agents write, until Ctrl-C."),
      ("keepsake watch --install", "Have it followed whenever you are logged in."),
      ("keepsake watch --status", "Say how far it is."),
      ("keepsake watch ~/Exports", "Follow a folder of your own."),
    ],
    variables: Variable.agents)

  let folders = Operand.several(
    "FOLDER", "A folder to follow, in place of the agents' own.", isRequired: false)
  let asked = AskedParameters()
  let json = Flag.json

  /// The flags for other actions than watching.
  struct AskedParameters: ParameterSet {
    let status = Flag("--status", help: "Tell the state of the store's watch.")
    let install = Flag("--install", help: "Run it from now on whenever you are logged in.")
    let uninstall = Flag("--uninstall", help: "Undo --install.")
  }

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let asked = arguments.asked.names
    guard asked.count <= 1 else {
      throw UsageError(
        message: "'\(asked[0])' and '\(asked[1])' don't go together. Give one of them.",
        command: "watch")
    }
    if arguments.asked.status { return try await status(arguments, context) }
    let isInstalling = arguments.asked.install
    guard isInstalling || arguments.asked.uninstall else {
      return try await watch(arguments, context)
    }
    let service = try WatchService(arguments, context)
    if isInstalling {
      // The service would make a missing store. Opening it here shows that this is possible.
      try await context.withStore(arguments, for: .creating) { _ in }
    }
    let outcome = try isInstalling ? service.install() : service.uninstall()
    for line in outcome.done { try context.terminal.line(line) }
    for line in outcome.failed { try context.terminal.note(line) }
    return .done
  }

  // MARK: Watching

  private func watch(_ arguments: Arguments<Self>, _ context: Context) async throws -> ExitCode {
    let places = try Self.places(arguments, context)
    return try await context.withStore(arguments, for: .creating) { store in
      let post = WatchPost(store)
      guard let lock = try post.take() else {
        let since = post.read().map { ", since \(Words.time($0.since, context.terminal))" } ?? ""
        throw CommandError(
          message:
            "A watch runs already for the store at '\(store.url.path)'\(since). See 'keepsake watch --status'."
        )
      }
      defer { try? lock.unlock() }
      var state = WatchState(places, at: context.now())
      try post.write(state)
      let page = WatchPage(
        terminal: context.terminal, isJSON: arguments.json, now: context.now)
      try page.begin(places)
      do {
        var written = context.now()
        try await AgentWatch(places, into: store).run { news in
          let now = context.now()
          state.add(news, at: now)
          // The state is not written after each of many files, but once a second.
          if state.behind == 0 || now.timeIntervalSince(written) > 1 {
            try post.write(state)
            written = now
          }
          try await page.show(news, in: store)
        }
      } catch is CancellationError {
        // Cancellation is the normal end.
      }
      return .done
    }
  }

  /// Returns the named folders, or the folders of the agents.
  private static func places(_ arguments: Arguments<Self>, _ context: Context) throws
    -> [AgentPlace]
  {
    if arguments.folders.isEmpty {
      guard let home = context.environment["HOME"], home.hasPrefix("/") else {
        throw CommandError(
          message:
            "Can't tell where agents keep their sessions: HOME is not set. Name a folder.")
      }
      return AgentPlace.all(home: home, environment: context.environment)
    }
    return try arguments.folders.map { path in
      let folder = URL(filePath: path).absoluteURL.path
      guard FileStatus(path: folder)?.isDirectory == true else {
        throw CommandError(message: "Can't watch '\(path)': it is no folder.")
      }
      return AgentPlace(program: path, folder: folder, endings: [".jsonl", ".json", ".db"])
    }
  }

  // MARK: How it is

  private func status(_ arguments: Arguments<Self>, _ context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    return try await context.withStore(arguments, for: .reading) { store in
      let post = WatchPost(store)
      let isRunning = post.isTaken
      let state = post.read()
      if arguments.json {
        try terminal.json { $0.write(state, isRunning: isRunning) }
        return .done
      }
      guard let state else {
        try terminal.line(
          "No watch ever ran for this store. 'keepsake watch --install' begins one.")
        return .done
      }
      try terminal.facts(Self.facts(state, isRunning: isRunning, terminal, now: context.now()))
      return .done
    }
  }

  private static func facts(
    _ state: WatchState, isRunning: Bool, _ terminal: Terminal, now: Date
  ) -> [(name: String, value: String)] {
    let since = Words.time(state.since, terminal)
    var facts = [
      (
        name: "watch",
        value: isRunning
          ? "It runs, as process \(state.process), since \(since)."
          : "It does not run. The last one began \(since). Begin one: keepsake watch --install"
      )
    ]
    facts += state.places.map { (name: "follows", value: "\($0.program), in \($0.folder)") }
    if let files = state.files { facts.append(("files", Words.count(files, "file"))) }
    if isRunning {
      facts.append(
        (
          "behind",
          state.behind == 0 && state.files != nil
            ? "Nothing waits." : "\(Words.count(state.behind, "file")) to be looked at."
        ))
    }
    let taken =
      "\(Words.entries(state.entries)), \(Words.count(state.sessions, "new session")), \(Words.count(state.artifacts, "new artifact"))"
    facts.append(
      (
        "taken",
        state.newest.map { "\(taken); last \(Words.age(of: $0, at: now))." } ?? "nothing new"
      ))
    if let waiting = state.waiting {
      facts.append(("waits", "since \(Words.time(waiting.since, terminal)). \(waiting.reason)"))
    }
    facts += state.skipped.map { ("skipped", "\($0.path): \($0.reason)") }
    return facts
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ state: WatchState?, isRunning: Bool) {
    beginObject()
    flag("running", isRunning)
    if let state {
      fixed("process", Int64(state.process))
      fixed("since", state.since)
      fixed("files", state.files)
      fixed("behind", state.behind)
      fixed("entries", state.entries)
      fixed("sessions", state.sessions)
      fixed("artifacts", state.artifacts)
      fixed("newest", state.newest)
      key("places")
      array(state.places) { place, writer in
        writer.beginObject()
        writer.fixed("program", place.program)
        writer.fixed("folder", place.folder)
        writer.endObject()
      }
      key("waiting")
      if let waiting = state.waiting {
        beginObject()
        fixed("reason", waiting.reason)
        fixed("since", waiting.since)
        endObject()
      } else {
        null()
      }
      key("skipped")
      array(state.skipped) { skipped, writer in
        writer.beginObject()
        writer.fixed("path", skipped.path)
        writer.fixed("reason", skipped.reason)
        writer.fixed("time", skipped.time)
        writer.endObject()
      }
    }
    endObject()
  }
}
