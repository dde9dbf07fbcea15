#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFormats

extension AuditPage {
  /// Prints everything that is known of a file: its bytes, the calls that name it, and its first commit.
  ///
  /// - Parameters:
  ///   - audit: The audit of the file.
  ///   - hasAskedGit: Whether the person asked for the commit.
  func file(_ audit: FileAudit, hasAskedGit: Bool) throws {
    if let trail = audit.trail {
      try self.trail(trail)
    } else {
      try say(audit.file.name, indent: 0, style: .heading)
      try say(Self.state(of: audit.file), indent: 0, style: .faint)
    }
    if !audit.naming.calls.isEmpty {
      try terminal.line()
      try terminal.line(terminal.styled("Calls that name it", .strong))
      for call in audit.naming.calls { try self.call(call) }
      if audit.naming.hasMore {
        try say("Not all calls with a file of this name were looked at.", indent: 2, style: .faint)
      }
    }
    guard hasAskedGit else { return }
    try terminal.line()
    try terminal.line(terminal.styled("Commit", .strong))
    guard let commit = audit.commit else { return try say("No commit has its bytes.", indent: 2) }
    try say("\(commit.id.prefix(12)) \(commit.subject)", indent: 2)
    try say("\(commit.author), \(commit.date)", indent: 4, style: .faint)
  }

  /// Prints the files that a session's calls name, one on each line.
  func files(namedBy calls: [FileCalls.Call]) throws {
    if calls.isEmpty { return }
    try terminal.line()
    try terminal.line(terminal.styled("Files that calls name", .strong))
    for call in calls { try say(Self.line(call), indent: 2) }
  }

  private static func line(_ call: FileCalls.Call) -> String {
    "\(call.tool) \(words(call.deed)) \(call.path) (entry \(call.position))"
  }

  private static func state(of file: AuditedFile) -> String {
    guard let id = file.id, let size = file.size else { return "is not there any more" }
    return "\(Words.size(size)), \(id), not in the store"
  }

  private func call(_ call: FileCalls.Call) throws {
    try terminal.line()
    try say(Self.line(call), indent: 2)
    if let created = call.created {
      try say(Words.time(created, terminal), indent: 4, style: .faint)
    }
    try say(Self.reason(of: call), indent: 4, style: .faint)
    if let prompt = call.prompt {
      try say("← “\(prompt.text)” (entry \(prompt.position))", indent: 4)
    }
    let title = call.title ?? "a session without a title"
    try say("← session “\(title)” \(call.session.text)", indent: 4)
  }

  private static func words(_ deed: FileCalls.Deed) -> String {
    switch deed {
    case .write: "wrote"
    case .edit: "edited"
    case .change: "changed"
    case .name: "named"
    case .remove: "removed"
    }
  }

  private static func reason(of call: FileCalls.Call) -> String {
    switch call.basis {
    case .inferred?: "inferred: The file holds what the session's calls say that they wrote."
    case .path?: "path: The file last changed while this call ran."
    default: "unknown: Nothing shows that the file still is what this call made."
    }
  }
}
