import Foundation
import Keepsake

@testable import KeepsakeCommand

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Runs commands on copies of a store that something was done to, in a process whose end shows that one trapped.
///
/// Before each command its name goes into a journal, so that whoever started the process can say which one ended it.
struct DamagedRun {
  /// A folder with `Chats.keepsake` in it.
  let folder: URL
  let journal: URL

  /// No command takes as long, on whatever machine.
  private static let seconds: UInt32 = 240

  init(in folder: URL) {
    self.folder = folder
    journal = folder.appending(path: "journal")
  }

  /// Does something to a copy of the store, and runs all commands on it.
  /// - Returns: How verify ended, before anything else was done.
  func attack(_ name: String, _ damage: (URL) throws -> Void) async throws -> ExitCode {
    let copy = folder.appending(path: "Copy")
    try? FileManager.default.removeItem(at: copy)
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    let store = copy.appending(path: "Chats.keepsake")
    try FileManager.default.copyItem(at: folder.appending(path: "Chats.keepsake"), to: store)
    try damage(store)
    var verdict = ExitCode.done
    for (index, arguments) in Self.commands(in: copy).enumerated() {
      try note("\(name): \(arguments.joined(separator: " "))")
      alarm(Self.seconds)
      let run = await CommandRun(
        list: arguments, input: "", environment: ["KEEPSAKE_STORE": store.path])
      if index == 0 { verdict = run.code }
    }
    alarm(0)
    return verdict
  }

  /// Adds a line to the journal.
  func note(_ line: String) throws {
    if !FileManager.default.fileExists(atPath: journal.path) { try Data().write(to: journal) }
    let file = try FileHandle(forWritingTo: journal)
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: Data((line + "\n").utf8))
  }

  /// What the journal says; the last line is that of the command that ended the process, if one did.
  var lines: [String] {
    let data = try? Data(contentsOf: journal)
    return data.map { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) }
      ?? []
  }

  /// Copies the journal to where `KEEPSAKE_JOURNAL` says, for whoever runs all of it by hand.
  func keep() throws {
    guard let place = ProcessInfo.processInfo.environment["KEEPSAKE_JOURNAL"] else { return }
    try Data(contentsOf: journal).write(to: URL(filePath: place))
  }

  /// Every command that reads, then those that write.
  private static func commands(in folder: URL) -> [[String]] {
    func path(_ name: String) -> String { folder.appending(path: name).path }
    let one = session.uuidString
    return [
      ["verify", "--read-data"], ["ls", "--json"], ["ls", "--tool", "Draw"], ["show", one],
      ["show", "last", "--json"], ["search", "banana"], ["artifacts"], ["stats"], ["log"],
      ["doctor"], ["get", "\(one)/image_1", "-o", path("image")],
      ["audit", "\(one)/image_1"], ["audit", "\(one)/photo", "--json"],
      ["audit", "--tool", "Draw"],
      ["export", one, "last", "--format", "bundle", "-o", path("all.tar")],
      ["export", one, "--format", "json", "-o", path("one.json")],
      ["export", one, "--format", "html", "-o", path("one.html")],
      ["export", one, "--format", "markdown", "-o", path("one.md")],
      ["backup", path("Backup.keepsake")],
      ["append", one, "--kind", "prompt", "a lemon"], ["append", "last", "--kind", "event", "x"],
      ["attach", one, path("image"), "--entry", "1"], ["fork", one, "--before", "5"],
      ["tag", one, "sour"], ["search", "lemon"], ["import", folder.path + "/../grown.json"],
      ["rm", one], ["rm", "last"], ["verify"],
    ]
  }

  /// The session that has everything.
  static let session = UUID(uuidString: "00000000-0000-4000-8000-00000000000A") ?? UUID()
}
