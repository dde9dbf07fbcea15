import KeepsakeFiles
import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("An export of sessions")
struct ExportTests {
  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Sessions of these titles, each with a prompt.
  private func sessions(_ titles: [String?], in store: Store) async throws -> [Session] {
    var sessions: [Session] = []
    for title in titles {
      let session = try await store.createSession(title: title)
      try await session.append(.prompt("hello"))
      sessions.append(session)
    }
    return sessions
  }

  @Test func `several become a file each, under plain names, in a folder that is made`()
    async throws
  {
    try await withStore { store, folder in
      let titles = ["../../etc/passwd", "AC/DC\n\u{202E}x", nil, ".hidden -", "香蕉 und Äpfel"]
      let sessions = try await sessions(titles, in: store)
      let out = folder.appending(path: "Out", directoryHint: .notDirectory)
      let seen = Locked<[URL]>([])
      let report = try await store.export(sessions, as: "apple", to: out) { file in
        seen.withLock { $0.append(file.url) }
      }
      let stems = ["etc-passwd", "AC-DC-x", "session", "hidden", "香蕉-und-Äpfel"]
      let expected = zip(stems, sessions).map {
        "\($0)-\($1.id.uuidString.lowercased().prefix(8)).json"
      }
      #expect(report.files.map(\.url.lastPathComponent) == expected)
      #expect(try names(out) == expected.sorted())
      #expect(seen.withLock { $0 } == report.files.map(\.url))
      #expect(report.files.map(\.sessions) == sessions.map { [$0.id] })
      #expect(report.losses.isEmpty)
      #expect(
        try await store.export([], as: "apple", to: folder.appending(path: "no/a")).files == [])
    }
  }

  @Test func `one becomes the file that is named, or a file in the folder that is`() async throws {
    try await withStore { store, folder in
      let session = try await sessions(["A"], in: store)
      try await store.export(session, as: "apple", to: folder.appending(path: "a.json"))
      try await store.export(session, as: "apple", to: folder)
      try await store.export(
        session, as: "apple", to: folder.appending(path: "New", directoryHint: .isDirectory))
      let name = "A-\(session[0].id.uuidString.lowercased().prefix(8)).json"
      #expect(
        try names(folder)
          == ["A-", "Chats", "New", "a.json"].map { start in
            start == "A-" ? name : start == "Chats" ? "Chats.keepsake" : start
          })
      #expect(try names(folder.appending(path: "New")) == [name])
    }
  }

  @Test func `what is there already is found before the first file is written`() async throws {
    try await withStore { store, folder in
      let sessions = try await sessions(["A", "B"], in: store)
      let out = folder.appending(path: "Out", directoryHint: .isDirectory)
      let report = try await store.export([sessions[1]], as: "apple", to: out)
      let error = try await #require(throws: FormatError.self) {
        try await store.export(sessions, as: "apple", to: out)
      }
      #expect(error.code == .exists)
      #expect(try names(out) == [report.files[0].url.lastPathComponent])
      try await store.export(sessions, as: "apple", to: out, replacing: true)
      #expect(try names(out).count == 2)
    }
  }

  @Test func `artifacts stand beside the file, each once, whatever they are called`() async throws {
    try await withStore { store, folder in
      let session = try await store.createSession(title: "A")
      func attach(_ text: String, _ name: String?, type: MediaType? = nil) async throws {
        try await session.attach(
          .init(.data(Data(text.utf8)), mediaType: type, fileName: name, madeBy: .step("Make")))
      }
      try await attach("one", "../../../etc/passwd")
      try await attach("two", "a.txt")
      try await attach("three", "A.TXT")
      try await attach("two", "again.txt")
      try await attach("four", "a b (1)#?%.txt")
      try await attach("five", "CON.txt")
      let file = folder.appending(path: "chat.v1.md")
      let report = try await store.export([session], as: "markdown", to: file)
      #expect(report.files.map(\.artifacts) == [5])
      let beside = folder.appending(path: "chat.v1.artifacts")
      #expect(
        try names(beside)
          == ["A-2.TXT", "CON_.txt", "a b (1)_.txt", "a.txt", "passwd.txt"].sorted())
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.contains("(chat.v1.artifacts/a%20b%20%281%29_.txt)"))
      for name in try names(beside) {
        let url = try #require(
          URL(string: "chat.v1.artifacts/" + URLPath.encoded(name), relativeTo: file))
        #expect(FileManager.default.fileExists(atPath: url.path))
      }
      #expect(
        try String(contentsOf: beside.appending(path: "A-2.TXT"), encoding: .utf8) == "three")
    }
  }

  @Test func `a folder of artifacts is replaced only when asked, and with its file`() async throws {
    try await withStore { store, folder in
      let session = try await RichSession.make(in: store)
      let file = folder.appending(path: "a.md")
      let beside = folder.appending(path: "a.artifacts")
      try FileManager.default.createDirectory(at: beside, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: beside.appending(path: "mine.txt"))
      let error = try await #require(throws: FormatError.self) {
        try await session.export(as: "markdown", to: file)
      }
      #expect(error.code == .exists)
      #expect(try names(folder) == ["Chats.keepsake", "a.artifacts"])
      #expect(try names(beside) == ["mine.txt"])
      let foreign = try await #require(throws: FormatError.self) {
        try await session.export(as: "markdown", to: file, replacing: true)
      }
      #expect(foreign.message.contains("'mine.txt' in it is not of an export"))
      #expect(try names(folder) == ["Chats.keepsake", "a.artifacts"])
      #expect(try names(beside) == ["mine.txt"])
      try FileManager.default.removeItem(at: beside.appending(path: "mine.txt"))
      try await session.export(as: "markdown", to: file, replacing: true)
      #expect(try names(folder) == ["Chats.keepsake", "a.artifacts", "a.md"])
      let made = try names(beside)
      #expect(made.count == 4)
      // Of an export: what has a name of the new one's, whatever became of it; and an artifact under another name.
      try FileManager.default.removeItem(at: beside.appending(path: made[0]))
      try Data("edited".utf8).write(to: beside.appending(path: made[0]))
      try FileManager.default.moveItem(
        at: beside.appending(path: made[1]), to: beside.appending(path: "of an earlier title.png"))
      try Data().write(to: beside.appending(path: ".DS_Store"))
      try await session.export(as: "markdown", to: file, replacing: true)
      #expect(try names(beside) == made)
      // Not of an export: a folder, a link, and what only looks like a name.
      for name in ["folder", "link", made[0] + "/x"] {
        let strange = beside.appending(path: name)
        if name == "link" {
          try FileManager.default.createSymbolicLink(at: strange, withDestinationURL: file)
        } else {
          if name.hasSuffix("/x") {
            try FileManager.default.removeItem(at: beside.appending(path: made[0]))
          }
          try FileManager.default.createDirectory(at: strange, withIntermediateDirectories: true)
        }
        await #expect(throws: FormatError.self, "\(name)") {
          try await session.export(as: "markdown", to: file, replacing: true)
        }
        #expect(FileManager.default.fileExists(atPath: strange.path))
        try FileManager.default.removeItem(
          at: name == "link" || name == "folder" ? strange : beside)
      }
      try await session.export(as: "markdown", to: file, replacing: true)
      // Without artifacts the folder is none of the export's business.
      try await session.export(
        as: "markdown", to: file, options: .init(artifacts: ExportOptions.Artifacts.none),
        replacing: true)
      #expect(try names(beside).count == 4)
    }
  }

  @Test func `a failure leaves nothing, and what was there`() async throws {
    try await withStore { store, folder in
      let session = try await RichSession.make(in: store)
      let file = folder.appending(path: "Out/a.md")
      try FileManager.default.createDirectory(
        at: folder.appending(path: "Out"), withIntermediateDirectories: true)
      try await session.export(as: "markdown", to: file)
      let before = try names(folder.appending(path: "Out/a.artifacts"))
      try await session.append(.response("more"))
      // The last entry can't be written any more.
      let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 3) })
      let lost = try await session.attach(.init(.data(large), madeBy: .step("Draw")))
      let digest = try #require(lost.artifact).id.hex
      let place = store.url.appending(path: "artifacts/\(digest.prefix(2))/\(digest.dropFirst(2))")
      try FileManager.default.removeItem(at: place)
      await #expect(throws: KeepsakeError.self) {
        try await session.export(as: "markdown", to: file, replacing: true)
      }
      #expect(try names(folder.appending(path: "Out")) == ["a.artifacts", "a.md"])
      #expect(try names(folder.appending(path: "Out/a.artifacts")) == before)
      #expect(!(try String(contentsOf: file, encoding: .utf8)).contains("more"))
      let made = folder.appending(path: "Made", directoryHint: .isDirectory)
      await #expect(throws: KeepsakeError.self) {
        try await store.export([session], as: "markdown", to: made)
      }
      #expect(try names(folder) == ["Chats.keepsake", "Out"])
    }
  }

  @Test func `a link, a folder and a device are never replaced`() async throws {
    try await withStore { store, folder in
      let session = try await sessions(["A"], in: store)[0]
      let real = folder.appending(path: "real.json")
      try Data("mine".utf8).write(to: real)
      let link = folder.appending(path: "link.json")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
      for place in [link, URL(filePath: "/dev/null")] {
        for mayReplace in [false, true] {
          await #expect(throws: FormatError.self) {
            try await session.export(as: "apple", to: place, replacing: mayReplace)
          }
        }
      }
      #expect(try String(contentsOf: real, encoding: .utf8) == "mine")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == real.path)
    }
  }

  @Test func `a sweep waits for an export, and an export for a sweep`() async throws {
    try await withStore { store, folder in
      let session = try await sessions(["A"], in: store)[0]
      let hasBegun = Monitor(false)
      let mayGoOn = Monitor(false)
      let export = Task(executorPreference: OwnThread()) {
        try await session.export(as: "apple") { _ in
          hasBegun.withLock { $0 = true }
          mayGoOn.wait { $0 ? () : nil }
        }
      }
      while !hasBegun.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
      let hasty = try await Store(
        at: store.url, options: .init(access: .readWriteExisting, patience: .milliseconds(1)))
      let error = try await #require(throws: KeepsakeError.self) { try await hasty.sweep() }
      #expect(error.code == .locked)
      mayGoOn.withLock { $0 = true }
      mayGoOn.broadcast()
      _ = try await export.value
      try await hasty.sweep()

      let sweeping = try FileLock(path: store.url.appending(path: "sweep.lock").path)
      #expect(try sweeping.tryLock(.exclusive))
      let late = try await #require(throws: KeepsakeError.self) {
        try await hasty.session(session.id).export(as: "apple") { _ in }
      }
      #expect(late.code == .locked)
      try sweeping.unlock()
      await hasty.close()
    }
  }

  @Test func `a store that is only read is exported without a byte changed`() async throws {
    try await withTemporaryFolder { folder in
      let url = folder.appending(path: "Chats.keepsake")
      let store = try await Store(at: url)
      let id = try await RichSession.make(in: store).id
      await store.close()
      let before = try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
      let reading = try await Store(at: url, options: .readOnly)
      try await reading.session(id).export(as: "markdown", to: folder.appending(path: "a.md"))
      await reading.close()
      #expect(try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted() == before)
    }
  }

  @Test func `what can't be done is said`() async throws {
    try await withStore { store, folder in
      let sessions = try await sessions(["A", "B"], in: store)
      func code(_ body: () async throws -> Void) async -> FormatError.Code? {
        do { try await body() } catch let error as FormatError { return error.code } catch {}
        return nil
      }
      #expect(
        await code { try await store.export(sessions, as: "apple") { _ in } } == .unsupported)
      #expect(
        await code {
          try await sessions[0].export(as: "markdown", options: .init(artifacts: .files)) { _ in }
        } == .unsupported)
      #expect(
        await code {
          try await sessions[0].export(as: "apple", options: .init(artifacts: .files)) { _ in }
        } == .unsupported)
      #expect(
        await code {
          try await sessions[0].export(as: "md", options: .init(resumption: .init())) { _ in }
        } == .unsupported)
    }
  }
}
