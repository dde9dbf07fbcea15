#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Enters the server into a client's settings, or takes it out of them, as a person agrees.
struct ClientInstallation {
  private let client: ClientProgram
  private let context: Context
  /// The path of the settings as the client has it.
  private let path: String

  /// The name of our entry in every client's settings.
  private static let name = "keepsake"
  /// The largest settings that are read.
  private static let limit = 16 << 20

  init(_ client: ClientProgram, _ context: Context) throws {
    self.client = client
    self.context = context
    path = try client.settings(context.environment)
  }

  /// Shows the entry for a command's words, and writes it if the person agrees.
  func install(_ words: [String], asking: Bool) throws -> ExitCode {
    let program = try context.program()
    let before = try read()
    let strings = words.map { JSON.string($0).text }.joined(separator: ", ")
    // A string of JSON is one of TOML as well, for all that a path can hold.
    let members =
      client.marks + [("command", JSON.string(program).text), ("args", "[\(strings)]")]
    let edit = try refusing {
      switch client.form {
      case .json(let group):
        try JSONSettings(before ?? [], group: group, name: Self.name).setting(members)
      case .toml:
        try TOMLSettings(before ?? [], group: "mcp_servers", name: Self.name).setting(members)
      }
    }
    let code = try carryOut(edit, before, asking: asking)
    if code == .done {
      try context.terminal.line("Start \(client.name) again, and it can ask the store.")
    }
    return code
  }

  /// Shows the entry, and takes it away if the person agrees.
  func uninstall(asking: Bool) throws -> ExitCode {
    let before = try read()
    let edit = try refusing {
      switch client.form {
      case .json(let group):
        try JSONSettings(before ?? [], group: group, name: Self.name).removing()
      case .toml:
        try TOMLSettings(before ?? [], group: "mcp_servers", name: Self.name).removing()
      }
    }
    guard let edit else {
      try context.terminal.line(
        "There is nothing to take away: '\(path)' has no entry '\(Self.name)'.")
      return .done
    }
    return try carryOut(edit, before, asking: asking)
  }

  private func refusing<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let refusal as SettingsEdit.Refusal {
      throw CommandError(
        message:
          "Can't change '\(path)': \(refusal.message). Enter the server by hand; the command is 'keepsake mcp STORE'."
      )
    }
  }

  // MARK: Files

  /// Returns the settings; nil if there are none.
  private func read() throws -> [UInt8]? {
    guard FileStatus(path: path) != nil else { return nil }
    do throws(FileError) { return try OutsideFile.open(path).readAll(limit: Self.limit) } catch {
      throw CommandError(message: error.told)
    }
  }

  /// Shows a change, asks, and writes it beside a copy of what was there.
  private func carryOut(
    _ edit: SettingsEdit, _ before: [UInt8]?, asking: Bool
  ) throws -> ExitCode {
    let terminal = context.terminal
    if edit.text == before ?? [] {
      try terminal.line("'\(path)' has this entry already.")
      return .done
    }
    try show(edit)
    if asking {
      guard terminal.canAsk else {
        try terminal.note("Nothing was changed. To change it without being asked, add --yes.")
        return .failed
      }
      guard try terminal.agrees(to: "Change '\(path)'?") else {
        try terminal.note("Nothing was changed.")
        return .failed
      }
    }
    guard try read() == before else {
      throw CommandError(
        message: "'\(path)' was changed meanwhile, and nothing was written. Try again.")
    }
    let kept = try write(edit.text, keeping: before)
    try terminal.line("Wrote \(path).\(kept.map { " What it was is in \($0)." } ?? "")")
    return .done
  }

  private func show(_ edit: SettingsEdit) throws {
    func lines(_ text: String, _ mark: String) throws {
      let lines = text.split(whereSeparator: \.isNewline)
      // An entry is shown without the margin that it has among the others.
      let margin = lines.last?.prefix(while: \.isWhitespace) ?? ""
      for line in lines {
        let line = line.hasPrefix(margin) ? line.dropFirst(margin.count) : line
        try context.terminal.line("\(mark) \(Terminal.printable(line))")
      }
    }
    try context.terminal.line("In \(path), the entry '\(Self.name)':")
    if let old = edit.old { try lines(old, "-") }
    if let new = edit.new { try lines(new, "+") }
  }

  /// Writes the settings under another name and renames them into place; returns the path of the copy of what was there.
  private func write(_ text: [UInt8], keeping before: [UInt8]?) throws -> String? {
    // Where the settings are a link into somebody's own folder, what it leads to is changed.
    let place = URL(filePath: FileStatus.resolvedPath(path) ?? path)
    let mode = FileStatus(path: path)?.mode ?? 0o600
    do {
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        message: "Can't make the folder '\(place.deletingLastPathComponent().path)'.")
    }
    do throws(FileError) {
      let folder = try OutsideFile.folder(place.deletingLastPathComponent().path)
      var kept: String?
      if let before {
        let name = try Self.freeName(for: place.lastPathComponent, in: folder)
        let copy = try NewFile(name, in: folder, mode: mode)
        try copy.write(before)
        try copy.finish()
        kept = folder.path(of: name)
      }
      let new = try NewFile(place.lastPathComponent, in: folder, replacing: true, mode: mode)
      try new.write(text)
      try new.finish()
      return kept
    } catch { throw CommandError(message: error.told) }
  }

  /// A name for a copy that no file has.
  private static func freeName(
    for name: String, in folder: Directory
  ) throws(FileError) -> String {
    var number = 1
    while true {
      let candidate = "\(name).before-keepsake\(number == 1 ? "" : "-\(number)")"
      if try folder.status(candidate) == nil { return candidate }
      number += 1
    }
  }
}
