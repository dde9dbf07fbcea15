import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Folders that are watched")
struct WatchTests {
  /// A store, a folder that is watched for it, and what was told of it so far.
  private struct Watched: Sendable {
    let store: Store
    let folder: URL
    let news = Locked<[AgentWatch.News]>([])

    /// Waits until something holds, and fails after a while.
    func waits(
      until what: String, location: SourceLocation = #_sourceLocation,
      _ condition: () async throws -> Bool
    ) async throws {
      for _ in 0..<1500 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(20))
      }
      Issue.record("It never came to be that \(what).", sourceLocation: location)
    }

    var sessions: [Session.Summary] {
      get async throws { try await store.sessions(limit: 200).sessions }
    }

    func entries() async throws -> Int { try await sessions.reduce(0) { $0 + $1.entries } }

    var looks: Int {
      news.withLock { news in news.count { if case .looked = $0 { true } else { false } } }
    }

    /// What the store gives back of its one session.
    func exported(_ format: String = "claude-code") async throws -> String {
      let session = try await store.session(#require(sessions.first).id)
      return String(decoding: try await session.exported(as: format).bytes, as: UTF8.self)
    }
  }

  private func withWatch(
    below path: String = "projects", isThere: Bool = false, _ body: (Watched) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let watched = Watched(store: store, folder: folder.appending(path: path))
      if isThere {
        try FileManager.default.createDirectory(
          at: watched.folder, withIntermediateDirectories: true)
      }
      let place = AgentPlace(
        program: "Claude Code", folder: watched.folder.path, endings: [".jsonl", ".json"])
      let running = Task {
        try await AgentWatch([place], into: store).run { news in
          watched.news.withLock { $0.append(news) }
        }
      }
      do {
        try await watched.waits(until: "all was looked at") { watched.looks > 0 }
        try await body(watched)
      } catch {
        running.cancel()
        _ = await running.result
        throw error
      }
      running.cancel()
      await #expect(throws: CancellationError.self) { try await running.value }
      #expect(try await store.verify(.init(readData: true)).findings.isEmpty)
    }
  }

  private static func talk(_ session: String, _ count: Int) -> [String] {
    ClaudeCodeReadingTests.talk.map { $0.replacing(#""s-1""#, with: "\"\(session)\"") }
      + (0..<count).map {
        ClaudeCodeReadingTests.user("\(session)-n-\($0)", "\"And \($0)?\"", time: 9)
          .replacing(#""s-1""#, with: "\"\(session)\"")
      }
  }

  private static func append(_ text: String, to file: URL) throws {
    if !FileManager.default.fileExists(atPath: file.path) {
      try Data().write(to: file)
    }
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(text.utf8))
  }

  @Test func `give what stands in them, and then what comes, line by line`() async throws {
    try await withWatch { watched in
      // The folder comes to be only now, and those on the way to it.
      let project = watched.folder.appending(path: "-home-alice-work")
      try FileManager.default.createDirectory(at: project, withIntermediateDirectories: true)
      let file = project.appending(path: "s-1.jsonl")
      let lines = Self.talk("s-1", 30)
      var text = ""
      for (index, line) in lines.enumerated() {
        // Some lines come in pieces: what is not at its end is no line yet.
        let middle = line.utf8.index(line.startIndex, offsetBy: line.utf8.count / 2)
        if index % 3 == 0 {
          try Self.append(String(line[..<middle]), to: file)
          try await Task.sleep(for: .milliseconds(40))
          try Self.append(String(line[middle...]), to: file)
          try await Task.sleep(for: .milliseconds(10))
          try Self.append("\n", to: file)
        } else {
          try Self.append(line + "\n", to: file)
        }
        text += line + "\n"
      }
      try await watched.waits(until: "all of it is there") {
        try await watched.sessions.isEmpty ? false : watched.exported() == text
      }
      #expect(try await watched.sessions.count == 1)
      #expect(try await watched.store.search("29").hits.count == 1)
      // What is deleted there stays.
      try FileManager.default.removeItem(at: file)
      try await Task.sleep(for: .milliseconds(200))
      #expect(try await watched.exported() == text)
    }
  }

  @Test func `may be renamed, moved and made anew, with what is in them`() async throws {
    try await withWatch(below: "a/b/projects") { watched in
      let files = FileManager.default
      try files.createDirectory(at: watched.folder, withIntermediateDirectories: true)
      let one = watched.folder.appending(path: "one")
      try files.createDirectory(at: one, withIntermediateDirectories: false)
      var text = Self.talk("s-1", 0).map { $0 + "\n" }.joined()
      try Self.append(text, to: one.appending(path: "s.jsonl"))
      try await watched.waits(until: "the first is there") {
        try await watched.sessions.count == 1
      }
      // A folder of another name, whose file goes on.
      let two = watched.folder.appending(path: "two")
      try files.moveItem(at: one, to: two)
      let more = ClaudeCodeReadingTests.user("later", "\"And later?\"", time: 9) + "\n"
      try Self.append(more, to: two.appending(path: "s.jsonl"))
      text += more
      try await watched.waits(until: "what came after the renaming is there") {
        try await watched.exported() == text
      }
      // All of it is moved away and made anew, from the top.
      let top = watched.folder.deletingLastPathComponent().deletingLastPathComponent()
      try files.moveItem(at: top, to: top.deletingLastPathComponent().appending(path: "gone"))
      try await Task.sleep(for: .milliseconds(100))
      try files.createDirectory(at: watched.folder, withIntermediateDirectories: true)
      try Self.append(
        Self.talk("s-2", 0).map { $0 + "\n" }.joined(),
        to: watched.folder.appending(path: "s-2.jsonl"))
      try await watched.waits(until: "what is in the new folder is there") {
        try await watched.sessions.count == 2
      }
    }
  }

  @Test func `may be replaced with the folder above them`() async throws {
    try await withWatch(below: "a/b/projects", isThere: true) { watched in
      let files = FileManager.default
      let top = watched.folder.deletingLastPathComponent().deletingLastPathComponent()
      let other = top.deletingLastPathComponent().appending(path: "other")
      let made = other.appending(path: "b/projects")
      try files.createDirectory(at: made, withIntermediateDirectories: true)
      var text = Self.talk("s-1", 0).map { $0 + "\n" }.joined()
      try Self.append(text, to: made.appending(path: "s-1.jsonl"))
      try files.moveItem(at: top, to: top.deletingLastPathComponent().appending(path: "gone"))
      try files.moveItem(at: other, to: top)
      try await watched.waits(until: "what is in the other folder is there") {
        try await watched.sessions.count == 1
      }
      let more = ClaudeCodeReadingTests.user("later", "\"And later?\"", time: 9) + "\n"
      try Self.append(more, to: watched.folder.appending(path: "s-1.jsonl"))
      text += more
      try await watched.waits(until: "what came in the other folder is there") {
        try await watched.exported() == text
      }
    }
  }

  @Test func `take a file that is renamed over another`() async throws {
    try await withWatch { watched in
      try FileManager.default.createDirectory(
        at: watched.folder, withIntermediateDirectories: true)
      let file = watched.folder.appending(path: "s.jsonl")
      try Self.append(Self.talk("s-1", 0).map { $0 + "\n" }.joined(), to: file)
      try await watched.waits(until: "the first is there") {
        try await watched.sessions.count == 1
      }
      let text = Self.talk("s-1", 3).map { $0 + "\n" }.joined()
      let beside = watched.folder.appending(path: ".s.tmp")
      try Data(text.utf8).write(to: beside)
      #expect(rename(beside.path, file.path) == 0)
      try await watched.waits(until: "the new file is there") {
        try await watched.exported() == text
      }
      #expect(try await watched.sessions.count == 1)
    }
  }

  @Test func `take a hundred files that are written at once`() async throws {
    try await withWatch { watched in
      try FileManager.default.createDirectory(
        at: watched.folder, withIntermediateDirectories: true)
      for step in 0..<4 {
        for number in 0..<100 {
          let lines = Self.talk("t-\(number)", 4)
          let part = step == 3 ? lines[9...] : lines[(3 * step)..<(3 * step + 3)]
          try Self.append(
            part.map { $0 + "\n" }.joined(),
            to: watched.folder.appending(path: "t-\(number).jsonl"))
        }
      }
      let whole = try ImportReport.entries(of: Self.talk("t-0", 4))
      try await watched.waits(until: "all of them are there") {
        let entries = try await watched.entries()
        return try await watched.sessions.count == 100 && entries == 100 * whole
      }
    }
  }

  @Test func `say of a file that it can't be read, and take it when it can`() async throws {
    try await withWatch { watched in
      try FileManager.default.createDirectory(
        at: watched.folder, withIntermediateDirectories: true)
      let file = watched.folder.appending(path: "s.jsonl")
      try Data("no conversation\n".utf8).write(to: file)
      func skipped() -> [String] {
        watched.news.withLock { news in
          news.compactMap { if case .skipped(let path, _) = $0 { path } else { nil } }
        }
      }
      try await watched.waits(until: "it is told of") { !skipped().isEmpty }
      #expect(skipped().allSatisfy { $0.hasSuffix("/s.jsonl") })
      try Data(Self.talk("s-1", 0).map { $0 + "\n" }.joined().utf8).write(to: file)
      try await watched.waits(until: "it is there") { try await watched.sessions.count == 1 }
    }
  }

  @Test func `have one watch for a store`() async throws {
    try await withStore { store, _ in
      let post = WatchPost(store)
      #expect(!post.isTaken)
      #expect(post.read() == nil)
      let lock = try #require(try post.take())
      #expect(post.isTaken)
      #expect(try post.take() == nil)
      let time = Date(timeIntervalSince1970: 1_790_000_000)
      var state = WatchState(
        [.init(program: "Codex", folder: "/home/alice/.codex/sessions", endings: [".jsonl"])],
        at: time)
      state.add(.looked(files: 3), at: time)
      state.add(.waits(reason: "The disk is full."), at: time)
      for number in 0..<60 { state.add(.skipped(path: "\(number)", reason: "why"), at: time) }
      try post.write(state)
      #expect(post.read() == state)
      #expect(state.skipped.count == 50)
      state.add(.goesOn, at: time)
      #expect(state.waiting == nil)
      try lock.unlock()
      #expect(!post.isTaken)
      #expect(try await store.verify().findings.isEmpty)
    }
  }
}

extension ImportReport {
  /// How many entries the lines of a Claude Code session become.
  fileprivate static func entries(of lines: [String]) throws -> Int {
    try ClaudeCodeCodec.records(Array(lines.joined(separator: "\n").utf8))
      .reduce(0) { $0 + $1.entries.count }
  }
}
