#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// A watch that the system runs while its person is logged in, as a systemd user service or a macOS launch agent.
struct WatchService {
  /// The name of the service, which differs for each store.
  let name: String
  /// The path of the file that describes the service.
  let file: String
  /// The commands that register the service and start it, and those that stop it.
  private let starting: [[String]]
  private let stopping: [[String]]
  private let content: String
  private let environment: [String: String]

  init(_ arguments: Arguments<WatchCommand>, _ context: Context) throws {
    guard let home = context.environment["HOME"], home.hasPrefix("/") else {
      throw CommandError(message: "Can't tell where services belong: HOME is not set.")
    }
    let program = try context.program()
    let store = URL(filePath: try context.store(arguments) ?? context.defaultStore())
      .absoluteURL.path
    let isDefault = try store == context.defaultStore()
    let mark = SHA256.digest(of: Array(store.utf8)).hex.prefix(8)
    let folders = arguments.folders.map { URL(filePath: $0).absoluteURL.path }
    let command = [program, "--store", store, "watch"] + folders
    // A service does not get the variables that tell where agents keep their sessions, so they are written to its file.
    let told = Self.variables.compactMap { name in
      context.environment[name].map { (name: name, value: $0) }
    }
    environment = context.environment
    #if os(macOS)
      name = "dev.keepsake.watch" + (isDefault ? "" : ".\(mark)")
      file = "\(home)/Library/LaunchAgents/\(name).plist"
      content = Self.agent(name, command, told)
      starting = [["launchctl", "load", "-w", file]]
      stopping = [["launchctl", "unload", "-w", file]]
    #else
      name = "keepsake-watch" + (isDefault ? "" : "-\(mark)") + ".service"
      let settings =
        context.environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        ?? "\(home)/.config"
      file = "\(settings)/systemd/user/\(name)"
      content = Self.unit(command, told)
      starting = [
        ["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", name],
      ]
      stopping = [["systemctl", "--user", "disable", "--now", name]]
    #endif
  }

  private static let variables = Variable.agents.flatMap(\.names)

  /// The messages about a change to the service.
  struct Outcome {
    var done: [String]
    /// Messages about what the system did not do, and how to do it.
    var failed: [String] = []
  }

  /// Writes the file, in place of an earlier version, and starts the service.
  func install() throws -> Outcome {
    let place = URL(filePath: file)
    let folder = place.deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(message: "Can't make the folder '\(folder)', where services belong.")
    }
    do throws(FileError) {
      let new = try NewFile(
        place.lastPathComponent, in: Directory(path: folder), replacing: true, mode: 0o644)
      try new.write(Array(content.utf8))
      try new.finish()
    } catch {
      throw CommandError(message: error.told)
    }
    var outcome = Outcome(done: ["Wrote \(file)."])
    if run(starting) {
      outcome.done.append(
        "It runs now, and whenever you are logged in. 'keepsake watch --status' says how it is.")
    } else {
      outcome.failed = [
        "It could not be started here. Once you are logged in with a session of your own, run:"
      ]
      outcome.failed += starting.map { "  \($0.joined(separator: " "))" }
    }
    return outcome
  }

  /// Stops the service, and removes the file.
  func uninstall() throws -> Outcome {
    guard FileStatus(path: file) != nil else {
      return Outcome(done: ["There is nothing to take away: '\(file)' is not there."])
    }
    let hasStopped = run(stopping)
    let place = URL(filePath: file)
    do throws(FileError) {
      let folder = try Directory(path: place.deletingLastPathComponent().path)
      _ = try folder.unlink(place.lastPathComponent)
    } catch {
      throw CommandError(message: error.told)
    }
    var outcome = Outcome(done: ["Removed \(file). What was taken in stays in the store."])
    if !hasStopped {
      outcome.failed = ["It could not be ended here. If it still runs, run:"]
      outcome.failed += stopping.map { "  \($0.joined(separator: " "))" }
    }
    return outcome
  }

  /// Runs commands in order, until one fails.
  ///
  /// - Parameter commands: The commands, each with its arguments.
  /// - Returns: Whether all commands succeeded.
  private func run(_ commands: [[String]]) -> Bool {
    commands.allSatisfy { command in
      guard let program = ChildProcess.find(command[0], in: environment["PATH"] ?? "") else {
        return false
      }
      let output = try? ProgramOutput(
        running: program, Array(command.dropFirst()), environment: environment, limit: 1 << 16)
      return output?.exitCode == 0
    }
  }

  // MARK: The files

  /// Returns the text of a systemd unit.
  static func unit(_ command: [String], _ environment: [(name: String, value: String)]) -> String {
    let variables = environment.map {
      "Environment=\(quoted("\($0.name)=\($0.value)", isCommand: false))\n"
    }
    return """
      [Unit]
      Description=Keepsake: keeps what coding agents write

      [Service]
      ExecStart=\(command.map { quoted($0, isCommand: true) }.joined(separator: " "))
      \(variables.joined())Restart=on-failure
      RestartSec=30
      Nice=10

      [Install]
      WantedBy=default.target

      """
  }

  /// Quotes text for systemd, where percent signs begin specifiers, and dollar signs in a command begin variables.
  private static func quoted(_ text: String, isCommand: Bool) -> String {
    var quoted = "\""
    for character in text {
      switch character {
      case "\"", "\\": quoted += "\\\(character)"
      case "%": quoted += "%%"
      case "$" where isCommand: quoted += "$$"
      case "\n": quoted += "\\n"
      default: quoted.append(character)
      }
    }
    return quoted + "\""
  }

  /// Returns the text of a macOS launch agent.
  static func agent(
    _ name: String, _ command: [String], _ environment: [(name: String, value: String)]
  ) -> String {
    func text(_ text: String) -> String {
      let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing(">", with: "&gt;")
      return "<string>\(escaped)</string>"
    }
    let arguments = command.map { "      \(text($0))\n" }.joined()
    let variables = environment.map { "      <key>\($0.name)</key>\(text($0.value))\n" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
        <dict>
          <key>Label</key>\(text(name))
          <key>ProgramArguments</key>
          <array>
      \(arguments)    </array>
          <key>EnvironmentVariables</key>
          <dict>
      \(variables)    </dict>
          <key>RunAtLoad</key><true/>
          <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
          <key>ThrottleInterval</key><integer>30</integer>
          <key>ProcessType</key><string>Background</string>
        </dict>
      </plist>

      """
  }
}
