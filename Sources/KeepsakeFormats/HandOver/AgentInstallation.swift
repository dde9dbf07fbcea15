#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
package import Keepsake

/// The place where an agent finds the file of a session, and the command that continues the session.
package struct AgentInstallation: Sendable, Hashable {
  /// The folder of the file, below the folder in which the agent keeps its sessions.
  package let folder: String
  package let name: String
  /// The command that continues the session; nil for a sub-agent, which is never continued by itself.
  package let resuming: String?

  /// Opens the folder, and makes it where it does not exist.
  func opened() throws -> Directory {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try OutsideFile.folder(folder)
  }
}

extension Session {
  /// Writes the session where an agent looks for its own sessions, in the agent's format. No file is ever replaced.
  /// - Parameters:
  ///   - format: The format's name.
  ///   - options: How the session is written.
  ///   - home: The person's home folder.
  ///   - environment: The environment, in which variables may name the folders of agents.
  /// - Returns: The path of the file, the command that continues the session, and a count of what the format could
  ///   not express.
  /// - Throws: ``FormatError``, when no agent uses the format, or the file can't be written.
  package func install(
    as format: String, options: ExportOptions, home: String, environment: [String: String]
  ) async throws -> (path: String, resuming: String?, losses: Losses) {
    guard let codec = try Codecs.named(format) as? any AgentCodec.Type else {
      throw FormatError(
        .unsupported,
        "Can't install a session as '\(format)': no agent looks for files of that format.")
    }
    let root = codec.root(home: home, environment: environment)
    return try await FormatError.writing {
      // The place follows from the content of the file, so the session is written to a temporary file first.
      let passing = try PassingFolder(
        in: Directory(path: FileManager.default.temporaryDirectory.path))
      defer { passing.remove() }
      let path = passing.folder.path(of: "session")
      let losses = try await export(as: format, to: URL(filePath: path), options: options)
      let file = try ForeignFile(path: path)
      let head = AgentFileHead(try file.read(0..<min(file.size, FileHead.size)))
      guard let place = codec.installation(of: head, below: root, at: nil) else {
        throw FormatError(
          .unsupported,
          "Can't install session \(id): its file does not say which session of which folder it is. Write it to a file with -o."
        )
      }
      let new = try NewFile(place.name, in: place.opened(), mode: 0o600)
      var offset: Int64 = 0
      while offset < file.size {
        try Task.checkCancellation()
        let end = min(file.size, offset + 1 << 20)
        try new.write(file.read(offset..<end))
        offset = end
      }
      try new.finish()
      return ("\(place.folder)/\(place.name)", place.resuming, losses)
    }
  }
}

extension AgentCodec {
  /// The folder in which the agent keeps its sessions.
  static func root(home: String, environment: [String: String]) -> String {
    AgentPlace.all(home: home, environment: environment).first { $0.program == program }?.folder
      ?? home
  }
}

extension ClaudeCodeCodec {
  static let program = "Claude Code"

  /// Places a file at `<folder>/<session>.jsonl`, and a sub-agent's at
  /// `<folder>/<session>/subagents/agent-<id>.jsonl`.
  ///
  /// The folder is named after the project's path, with a hyphen in place of each character that is no letter and no
  /// digit.
  static func installation(of head: AgentFileHead, below root: String, at time: Date?)
    -> AgentInstallation?
  {
    guard let session = head.first("sessionId"), isName(session),
      let folder = head.first("cwd")
    else { return nil }
    let project = String(
      composed(folder).unicodeScalars.flatMap { scalar in
        // The program counts UTF-16 code units, so a character outside the basic plane becomes two hyphens.
        isPlain(scalar)
          ? [Character(scalar)] : [Character](repeating: "-", count: scalar.utf16.count)
      })
    let first = head.object(with: "sessionId")
    guard first?.json("isSidechain")?.boolValue == true, let agent = first?.string("agentId"),
      isName(agent)
    else {
      return AgentInstallation(
        folder: "\(root)/\(project.prefix(200))", name: "\(session).jsonl",
        resuming: "claude --resume \(session)")
    }
    return AgentInstallation(
      folder: "\(root)/\(project.prefix(200))/\(session)/subagents",
      name: "agent-\(agent).jsonl", resuming: nil)
  }

  /// The path in Unicode's composed form, as the program spells it. macOS may return it decomposed.
  private static func composed(_ path: String) -> String {
    #if canImport(Darwin)
      path.precomposedStringWithCanonicalMapping
    #else
      path
    #endif
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}

extension CodexCodec {
  static let program = "Codex"

  /// Places a file at `YYYY/MM/DD/rollout-<time>-<session>.jsonl`, in local time.
  static func installation(of head: AgentFileHead, below root: String, at time: Date?)
    -> AgentInstallation?
  {
    guard let session = head.first("id", in: "payload"), isName(session),
      let begun = head.first("timestamp", in: "payload"),
      let time = time ?? ForeignTime.date(begun)
    else { return nil }
    let name = CodexRescue.fileName(session, at: time)
    let day = name.dropFirst("rollout-".count).prefix(10).replacing("-", with: "/")
    return AgentInstallation(
      folder: "\(root)/\(day)", name: name, resuming: "codex resume \(session)")
  }
}

extension GeminiCLICodec {
  static let program = "Gemini CLI"

  /// Places a file at `<project>/chats/session-<time>-<beginning of the id>.jsonl`.
  ///
  /// The project's folder is the one whose `.project_root` file holds the project's path, else one that is named by
  /// the digest of the path.
  static func installation(of head: AgentFileHead, below root: String, at time: Date?)
    -> AgentInstallation?
  {
    guard let session = head.first("sessionId"), isName(session),
      let project = head.first("projectHash"), isName(project), let begun = head.first("startTime")
    else { return nil }
    let minute = begun.prefix(16).replacing(":", with: "-")
    guard isName(String(minute)) else { return nil }
    return AgentInstallation(
      folder: "\(root)/\(slug(of: project, below: root) ?? project)/chats",
      name: "session-\(minute)-\(session.prefix(8)).jsonl", resuming: "gemini --resume \(session)")
  }

  private static func slug(of project: String, below root: String) -> String? {
    guard let names = try? Directory(path: root).names() else { return nil }
    return names.first(where: { path(inRootOf: "\(root)/\($0)").map(digest) == project })
  }

  private static func digest(_ path: String) -> String {
    SHA256.digest(of: Array(path.utf8)).hex
  }

  /// The path of the project that a folder belongs to, from the file `.project_root` in it; nil where the file can't
  /// be read.
  private static func path(inRootOf folder: String) -> String? {
    do {
      let file = try OutsideFile.open("\(folder)/.project_root")
      let text = String(decoding: try file.readAll(limit: 16 << 10), as: UTF8.self)
      return String(
        text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    } catch {
      return nil
    }
  }
}

/// Returns whether a text from a file is safe as a part of a file name.
private func isName(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix(".")
    && text.unicodeScalars.allSatisfy {
      $0.isASCII && $0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0)
    }
}
