#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// The command `keepsake sync`, which keeps the store in step with its hub.
struct SyncCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "sync",
    summary: "Send what changed here to the hub, and take over what changed elsewhere.",
    discussion: """
      Stop it at any time: what is done stays done, and the next sync goes on from there. Other
      programs may write to the store meanwhile.

      Where a session went on here and elsewhere at the same time, it goes on as the hub has it.
      What was written here becomes a session of its own, a fork of it where that is possible, and
      the command tells so. Titles, tags and metadata are merged. With --watch it goes on until it
      is stopped, sends what changes here within a second, and waits while the hub can't be reached.
      """,
    examples: [
      ("keepsake sync", "Once."),
      ("keepsake sync --watch", "At each change here, and every few seconds, until it is stopped."),
    ])

  let watch = Flag("--watch", help: "Stay in step until stopped.")
  let json = Flag.json

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    return try await context.withStore(arguments, for: .writing) { store in
      guard let membership = try await store.membership() else {
        throw CommandError(
          message: "The store has joined no hub. 'keepsake join URL' joins one.")
      }
      let address = try context.hub(membership.address)
      guard arguments.watch else {
        let report = try await Self.sync(store, address, terminal)
        try Self.tell(report, arguments, terminal)
        return report.isInStep ? .done : .failed
      }
      let trouble = Locked<KeepsakeError.Code?>(nil)
      do {
        try await terminal.showing(Self.progress) { progress in
          try await store.keepInStep(
            with: address,
            telling: { outcome in
              try terminal.progress("")
              let before = trouble.withLock { trouble in
                defer {
                  trouble = if case .failure(let error) = outcome { error.code } else { nil }
                }
                return trouble
              }
              switch outcome {
              case .success(let report):
                if let before, before != .locked { try terminal.note("The hub is there again.") }
                if report != SyncReport() { try Self.tell(report, arguments, terminal) }
              case .failure(let error) where error.code == before: break
              case .failure(let error) where error.code == .locked:
                try terminal.note("\(error.told) Trying again.")
              case .failure(let error):
                try terminal.note("\(error.told) Trying again until it is there.")
              }
            }, progress: progress)
        }
      } catch is CancellationError {
        // Ctrl-C cancels the task, and is the usual end of `--watch`.
      }
      return .done
    }
  }

  private static func sync(_ store: Store, _ address: HubAddress, _ terminal: Terminal) async throws
    -> SyncReport
  {
    try await terminal.showing(progress) { progress in
      try await store.sync(with: address, progress: progress)
    }
  }

  static func progress(_ report: SyncReport) -> String {
    "received \(report.received.count), sent \(report.sent.count), "
      + Words.size(report.receivedBytes + report.sentBytes)
  }

  private static func tell(
    _ report: SyncReport, _ arguments: Arguments<Self>, _ terminal: Terminal
  ) throws {
    if arguments.json { return try terminal.json { $0.write(report) } }
    var parts: [String] = []
    func add(_ did: String, _ sessions: Int, _ artifacts: Int, _ bytes: Int64) {
      guard sessions > 0 else { return }
      let carried =
        artifacts > 0 ? " with \(Words.count(artifacts, "artifact")) (\(Words.size(bytes)))" : ""
      parts.append("\(did) \(Words.count(sessions, "session"))\(carried)")
    }
    add("received", report.received.count, report.receivedArtifacts, report.receivedBytes)
    add("sent", report.sent.count, report.sentArtifacts, report.sentBytes)
    add("deleted", report.removed.count, 0, 0)
    let sentence = parts.joined(separator: ", ")
    try terminal.line(
      parts.isEmpty
        ? "Nothing changed." : sentence.prefix(1).uppercased() + sentence.dropFirst() + ".")
    for parted in report.parted {
      try terminal.note(
        "Session \(Words.short(parted.session)) went on here and elsewhere. What was written here is session \(Words.short(parted.continuation)) now."
      )
    }
    try tell("left aside", report.aside, terminal)
    try tell("not done", report.failed, terminal)
  }

  /// Tells of sessions that are not kept in step.
  static func tell(_ what: String, _ aside: [HubMembership.Aside], _ terminal: Terminal) throws {
    for aside in aside {
      try terminal.note("\(what): \(Words.short(aside.session)). \(aside.reason)")
    }
  }
}

extension SyncReport {
  /// Tells whether all sessions are in step with the hub.
  fileprivate var isInStep: Bool { aside.isEmpty && failed.isEmpty }
}

extension JSONWriter {
  fileprivate mutating func write(_ report: SyncReport) {
    beginObject()
    strings("received", report.received.map { $0.text }.sorted())
    strings("sent", report.sent.map { $0.text }.sorted())
    strings("removed", report.removed.map { $0.text }.sorted())
    key("parted")
    array(report.parted) { parted, writer in
      writer.beginObject()
      writer.fixed("session", parted.session)
      writer.fixed("continuation", parted.continuation)
      writer.endObject()
    }
    fixed("receivedArtifacts", report.receivedArtifacts)
    fixed("receivedBytes", report.receivedBytes)
    fixed("sentArtifacts", report.sentArtifacts)
    fixed("sentBytes", report.sentBytes)
    key("aside")
    write(report.aside)
    key("failed")
    write(report.failed)
    endObject()
  }
}
