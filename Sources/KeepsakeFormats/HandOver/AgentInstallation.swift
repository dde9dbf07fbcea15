#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
package import Keepsake

/// Where a session's file lies so that its agent lists it, and how a person goes on with it there.
package struct AgentInstallation: Sendable, Hashable {
  /// Below the place where the agent keeps its sessions.
  package let folder: String
  package let name: String
  /// The command that goes on with it; nil for what is never gone on with by itself.
  package let resuming: String?

  /// The folder, made where it is not there.
  func opened() throws -> Directory {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try OutsideFile.folder(folder)
  }
}

/// The first lines of an agent's file.
struct AgentFileHead {
  private let lines: [JSONObject]

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: 0x0A).compactMap { line in
      let line = Array(line)
      return HeldLines.isJSON(line) ? JSONObject(0..<line.count, in: line) : nil
    }
  }

  /// What the first line says that has a member, or that has it in an object.
  func first(_ key: String, in outer: String? = nil) -> String? {
    object(with: key, in: outer)?.string(key)
  }

  /// The first object that has a member.
  func object(with key: String, in outer: String? = nil) -> JSONObject? {
    lines.lazy.compactMap { line in outer.map { line.object($0) } ?? line }
      .first { $0.string(key) != nil }
  }
}

extension Session {
  /// Writes the session to where an agent looks for its own, in the agent's format; no file is ever replaced.
  /// - Parameters:
  ///   - format: The format's name.
  ///   - options: How it is written.
  ///   - home: The person's home folder.
  ///   - environment: Says where agents were told to keep their sessions.
  /// - Returns: The file, how to go on with it, and what the format could not express.
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
      // Where it goes, the file itself says.
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
  /// The place where the agent keeps its sessions.
  static func root(home: String, environment: [String: String]) -> String {
    AgentPlace.all(home: home, environment: environment).first { $0.program == program }?.folder
      ?? home
  }
}

extension ClaudeCodeCodec {
  static let program = "Claude Code"

  /// `<folder>/<session>.jsonl`, and for a sub-agent `<folder>/<session>/subagents/agent-<id>.jsonl`. The name of the folder
  /// is that of the project, with hyphens for what is no letter and no digit.
  static func installation(of head: AgentFileHead, below root: String, at time: Date?)
    -> AgentInstallation?
  {
    guard let session = head.first("sessionId"), isName(session),
      let folder = head.first("cwd")
    else { return nil }
    let project = String(
      composed(folder).unicodeScalars.flatMap { scalar in
        // What takes two places in UTF-16 is two characters for the program.
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

  /// As the program spells paths: a Mac may give the same letters in parts.
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

  /// `YYYY/MM/DD/rollout-<time>-<session>.jsonl`, by the clock on the wall.
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

  /// `<project>/chats/session-<time>-<beginning of the id>.jsonl`. A project's folder says which one it is in a file, and is
  /// called by the digest of its path where there is none that does.
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

  /// The path of the project that a folder is for, as a file in it says.
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

/// Whether something that a file says may be a part of a file's name.
private func isName(_ text: String) -> Bool {
  !text.isEmpty && text.utf8.count <= 200 && !text.hasPrefix(".")
    && text.unicodeScalars.allSatisfy {
      $0.isASCII && $0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0)
    }
}
