#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Checking a hub, sweeping it, and upgrading it.
extension HubCommand {
  static func check(_ text: String?, _ arguments: Arguments<Self>, _ context: Context) async throws
    -> ExitCode
  {
    let terminal = context.terminal
    let address = try await hub(text, arguments, context)
    func check(mendingLists: Bool) async throws -> HubReport {
      try await terminal.showing(Self.progress) { progress in
        try await Store.checkHub(
          at: address, readingData: arguments.readData, mendingLists: mendingLists,
          progress: { progress(($0, $1)) })
      }
    }
    var report = try await check(mendingLists: arguments.repair)
    var repaired: [Artifact.ID] = []
    var listed: [UUID] = []
    if arguments.repair, !report.lacking.isEmpty || !report.unlisted.isEmpty {
      listed = report.unlisted
      let lacking = report.lacking
      if !lacking.isEmpty {
        repaired = try await context.withStore(arguments, for: .reading) { store in
          try await store.putAgain(lacking, at: address)
        }
      }
      report = try await check(mendingLists: false)
    }
    report.findings = report.findings.map(\.told)
    if arguments.json {
      try terminal.json { $0.write(report, repaired: repaired, listed: listed) }
    } else {
      try print(report, repaired: repaired, listed: listed, terminal)
    }
    return report.isSound ? .done : .damaged
  }

  static func sweep(_ text: String?, _ arguments: Arguments<Self>, _ context: Context) async throws
  {
    let terminal = context.terminal
    let isDry = arguments.dryRun
    let address = try await hub(text, arguments, context)
    let age = arguments.olderThan.map { time in
      let now = context.now()
      return Duration.seconds(max(0, now.timeIntervalSince(time.date(at: now))))
    }
    let swept = try await terminal.showing(Self.progress) { progress in
      try await Store.sweepHub(
        at: address, olderThan: age ?? .seconds(86_400), isPreview: isDry,
        progress: { progress(($0, $1)) })
    }
    if arguments.json { return try terminal.json { $0.write(swept, isDry: isDry) } }
    if swept.artifacts == 0, swept.files == 0, swept.sessions == 0, swept.stores == 0 {
      return try terminal.line(
        isDry ? "A sweep would find nothing to remove." : "There was nothing to remove.")
    }
    if swept.artifacts > 0 {
      try terminal.line(
        "\(isDry ? "A sweep would remove" : "Removed") \(Words.count(swept.artifacts, "artifact")) (\(Words.size(swept.artifactBytes)))."
      )
    }
    if swept.files > 0 {
      try terminal.line(
        "\(isDry ? "A sweep would remove" : "Removed") \(Words.count(swept.files, "unfinished file")) (\(Words.size(swept.fileBytes)))."
      )
    }
    if swept.sessions > 0 {
      try terminal.line(
        "\(isDry ? "A sweep would take" : "Took") what was erased out of older versions of \(Words.count(swept.sessions, "session"))."
      )
    }
    if swept.stores > 0 {
      try terminal.line(
        "\(isDry ? "A sweep would take" : "Took") \(Words.count(swept.stores, "store")) off the list that shared the hub's sessions and \(swept.stores == 1 ? "was" : "were") not seen for 30 days."
      )
    }
  }

  private static func progress(_ step: (done: Int, all: Int)) -> String {
    "looked at \(step.done) of \(step.all)"
  }

  static func upgrade(_ text: String?, _ arguments: Arguments<Self>, _ context: Context)
    async throws
  {
    let terminal = context.terminal
    let address = try await hub(text, arguments, context)
    let isUpgraded = try await terminal.showing(Self.progress) { progress in
      try await Store.upgradeHub(at: address, progress: { progress(($0, $1)) })
    }
    if arguments.json {
      return try terminal.json { writer in
        writer.beginObject()
        writer.flag("upgraded", isUpgraded)
        writer.endObject()
      }
    }
    let hub = "The hub at \(Terminal.printable(address.description))"
    try terminal.line(
      isUpgraded
        ? "\(hub) is upgraded. Earlier versions of keepsake can't use it any more."
        : "\(hub) needs no upgrade.")
  }

  private static func print(
    _ report: HubReport, repaired: [Artifact.ID], listed: [UUID], _ terminal: Terminal
  ) throws {
    for session in listed {
      try terminal.line(
        "\(terminal.styled("repaired", .good))  the lists of session \(session.text)"
      )
    }
    for id in repaired {
      try terminal.line("\(terminal.styled("repaired", .good))  artifact \(id)")
    }
    for finding in report.findings { try VerifyCommand.print(finding, terminal) }
    var seen = [
      Words.count(report.sessions, "session"), Words.count(report.versions, "version"),
      "\(Words.count(report.artifacts, "artifact")) (\(Words.size(report.artifactBytes)))",
    ]
    if report.deleted > 0 { seen[0] += " and \(report.deleted) deleted" }
    try terminal.line(
      "\(VerifyCommand.verdict(isSound: report.isSound, terminal)): \(seen.joined(separator: ", "))."
    )
    if report.unused > 0 {
      try terminal.note(
        "No session names \(Words.count(report.unused, "artifact")) (\(Words.size(report.unusedBytes))). 'keepsake hub sweep' removes what is older than a day."
      )
    }
  }
}

extension JSONWriter {
  fileprivate mutating func write(
    _ report: HubReport, repaired: [Artifact.ID], listed: [UUID]
  ) {
    beginObject()
    fixed("hub", report.hub)
    flag("sound", report.isSound)
    fixed("sessions", report.sessions)
    fixed("deleted", report.deleted)
    fixed("versions", report.versions)
    fixed("artifacts", report.artifacts)
    fixed("artifactBytes", report.artifactBytes)
    fixed("unused", report.unused)
    fixed("unusedBytes", report.unusedBytes)
    strings("lacking", report.lacking.map(\.description))
    strings("repaired", repaired.map(\.description))
    strings("unlisted", report.unlisted.map { $0.text })
    strings("listed", listed.map { $0.text })
    key("findings")
    array(report.findings) { finding, writer in
      writer.beginObject()
      writer.fixed("severity", finding.severity.rawValue)
      writer.fixed("object", finding.object)
      writer.fixed("what", finding.what)
      writer.fixed("remedy", finding.remedy)
      writer.endObject()
    }
    endObject()
  }

  fileprivate mutating func write(_ swept: HubSwept, isDry: Bool) {
    beginObject()
    flag("dryRun", isDry)
    fixed("artifacts", swept.artifacts)
    fixed("artifactBytes", swept.artifactBytes)
    fixed("files", swept.files)
    fixed("fileBytes", swept.fileBytes)
    fixed("sessions", swept.sessions)
    fixed("stores", swept.stores)
    endObject()
  }
}
