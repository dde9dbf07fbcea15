#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles
import KeepsakeFormats

/// Taking all sessions out of a hub, so that nobody is tied to it.
extension HubCommand {
  static func export(_ text: String?, _ arguments: Arguments<Self>, _ context: Context) async throws
    -> ExitCode
  {
    guard let path = arguments.output?.path else {
      throw UsageError(message: "'hub export' needs a file: name one with -o.", command: "hub")
    }
    let terminal = context.terminal
    let address = try await hub(text, arguments, context)
    // Reading a hub may take hours, so a file that can't be written is told first.
    let output = try OutputPath(path)
    if output.isFolder {
      throw CommandError(message: "'\(path)' is a folder. Name a file in it.")
    }
    if !arguments.force, FileManager.default.fileExists(atPath: path) {
      throw CommandError(
        message: "'\(path)' is there already. Replace it with --force, or name another file.")
    }
    let file = URL(filePath: path)
    let folder = file.deletingLastPathComponent()
    // The hub is read into a store of its own, beside the bundle, because the room for it is there. An export that was stopped
    // goes on with what it has read.
    let place = folder.appending(path: Self.place, directoryHint: .isDirectory)
    let store = try await CouldNotRun.opening { try await Store(at: place) }
    do {
      do { try await store.join(address) } catch {
        if try await store.membership() == nil { try? FileManager.default.removeItem(at: place) }
        guard let error = error as? KeepsakeError, error.code == .conflict else { throw error }
        throw CommandError(
          message:
            "In '\(folder.path)' an export of another hub was begun. Finish that one, or name another folder."
        )
      }
      let sync = try await terminal.showing(SyncCommand.progress) { progress in
        try await store.sync(with: address, progress: progress)
      }
      let sessions = try await ExportRequest.all(.init(), in: store)
      let report = try await store.export(
        sessions, as: "bundle", to: file, replacing: arguments.force)
      await store.close()
      try FileManager.default.removeItem(at: place)
      let left = sync.aside + sync.failed
      if arguments.json {
        try terminal.json { $0.write(report, of: sessions.count, without: left) }
      } else {
        let count = Words.count(sessions.count, "session")
        try terminal.line(
          report.files.isEmpty
            ? "The hub has no sessions." : "Wrote \(count) to \(Terminal.printable(path)).")
        try SyncCommand.tell("left out", left, terminal)
      }
      return left.isEmpty ? .done : .damaged
    } catch {
      await store.close()
      throw error
    }
  }

  /// The name of the store into which the hub is read.
  private static let place = ".hub-export.keepsake"
}

extension JSONWriter {
  fileprivate mutating func write(
    _ report: ExportReport, of sessions: Int, without left: [HubMembership.Aside]
  ) {
    beginObject()
    if let file = report.files.first { fixed("file", file.url.path) }
    fixed("sessions", sessions)
    key("leftOut")
    write(left)
    endObject()
  }
}
