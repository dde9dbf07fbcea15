import Foundation
import Keepsake

/// An app that does what it is told, line by line, so that another program can look at what it shows meanwhile.
///
///     draft            begins a draft           delta TEXT   adds to it      finish    makes it an entry
///     begin TOOL       begins a run             end          ends it
///     open             opens a turn             close        closes it as answered
///     revise N TEXT    gives the entry at a position another text
///
/// Each line is answered by `ok`, or by what went wrong.
struct Telling {
  private let session: Session
  private var draft: Draft?
  private var run: Invocation?
  private var turn: Turn?

  init(_ arguments: inout Arguments) async throws {
    let store = try await Store(at: URL(filePath: try arguments.required("STORE")))
    guard let id = UUID(uuidString: try arguments.required("SESSION")) else {
      throw Failure("SESSION is no id.")
    }
    session = try await store.session(id)
  }

  mutating func listen() async {
    while let line = readLine() {
      var answer = "ok"
      do { try await take(line) } catch { answer = "\(error)" }
      FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
    }
  }

  private mutating func take(_ line: String) async throws {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    switch words.first {
    case "draft": draft = try await session.draft()
    case "delta": draft?.append(rest)
    case "finish":
      _ = try await draft?.finish()
      draft = nil
    case "begin": run = try await session.begin(.tool, rest)
    case "end":
      if let run { try await session.end(run, .finished) }
      run = nil
    case "open": turn = try await session.openTurn()
    case "close":
      if let turn { try await session.close(turn, .answered) }
      turn = nil
    case "revise":
      let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2, let position = Int(parts[0]) else {
        throw Failure("say: revise N TEXT")
      }
      let old = try await session.entry(at: position)
      var entry = Entry(old.kind, segments: [.text(parts[1])], created: old.created)
      entry.model = old.model
      _ = try await session.revise(position, to: entry)
    default: throw Failure("there is no word '\(words.first ?? "")'.")
    }
  }
}
