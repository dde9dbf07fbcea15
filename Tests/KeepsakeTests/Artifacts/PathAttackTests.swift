import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The attacks by paths that a tool or a model names, each by its number.
@Suite("Attacks by paths")
final class PathAttackTests {
  let base: URL
  let allowed: URL
  let folders: IntakeFolders

  init() throws {
    base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "paths-\(UUID().uuidString)")
    allowed = base.appending(path: "in")
    try FileManager.default.createDirectory(
      at: allowed.appending(path: "deep"), withIntermediateDirectories: true)
    folders = try IntakeFolders([allowed])
    try Data("secret".utf8).write(to: base.appending(path: "secret"))
    try Data("cup".utf8).write(to: allowed.appending(path: "cup.png"))
  }

  deinit {
    do { try FileManager.default.removeItem(at: base) } catch {
      Issue.record("Can't remove \(base.path): \(error)")
    }
  }

  /// Why a path is refused; nil where it is taken.
  private func refusal(_ path: String, maximumSize: Int64 = 1000) -> KeepsakeError.Code? {
    do {
      _ = try folders.source(named: path, maximumSize: maximumSize)
      return nil
    } catch let error as KeepsakeError { return error.code } catch { return .inputOutput }
  }

  private func link(_ name: String, to target: String) {
    #expect(symlink(target, allowed.path + "/" + name) == 0)
  }

  @Test(arguments: [
    "saved to /etc/passwd", "~/.ssh/id_ed25519", "/proc/self/environ", "/dev/zero", "/dev/stdin",
    "file:///etc/passwd",
  ])
  func `D2: what a conversation names is text, and is not read`(path: String) async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let call = Entry.ToolCall(tool: "Draw", arguments: #"{"path": "\#(path)"}"#)
      try await session.append([
        .prompt("look at \(path)"), .toolCalls([call]), .toolOutput(for: call, text: path),
        .response("![](\(path))"),
      ])
      _ = try await store.importing(LineFormat.source("a|toolOutput|\(path)\n"))
      #expect(try await session.attachments().isEmpty)
      #expect(try await store.artifacts().artifacts.isEmpty)
      #expect(try await session.resolve(path).attachment == nil)
    }
    #expect(refusal(path) == (path.hasPrefix("/") || path.hasPrefix("file:") ? .refused : .invalid))
  }

  @Test(.timeLimit(.minutes(60)))
  func `D2: a pipe, a socket, a folder and a device are refused at once`() throws {
    #expect(mkfifo(allowed.path + "/pipe", 0o600) == 0)
    let maker = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        "import os, socket, sys; os.chdir(sys.argv[1]); socket.socket(socket.AF_UNIX).bind('socket')",
        allowed.path,
      ])
    #expect(maker.succeeds())
    for name in ["pipe", "socket", "deep"] {
      #expect(refusal(allowed.path + "/" + name) == .refused, "\(name)")
    }
  }

  @Test func `D2: a huge file with nothing in it, and one that grows, are bounded`() async throws {
    let sparse = allowed.path + "/sparse"
    _ = FileManager.default.createFile(atPath: sparse, contents: Data("x".utf8))
    #expect(truncate(sparse, 1 << 40) == 0)
    #expect(refusal(sparse, maximumSize: 1 << 30) == .tooLarge)
    let growing = allowed.appending(path: "growing")
    try Data(repeating: 1, count: 200_000).write(to: growing)
    let source = try folders.source(named: growing.path, maximumSize: 200_000)
    let file = try FileHandle(forWritingTo: growing)
    try file.seekToEnd()
    try file.write(contentsOf: Data(repeating: 2, count: 100_000))
    try file.close()
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let error = await keepsakeError { try await session.attach(.init(source)) }
      #expect(error?.code == .tooLarge)
      #expect(try await store.artifacts().artifacts.isEmpty)
    }
  }

  @Test func `D3: links lead nowhere, alone or in a chain, to outside or back inside`() {
    link("out", to: base.path + "/secret")
    link("chain", to: "out")
    link("folder", to: base.path)
    link("inside", to: "cup.png")
    link("up", to: "..")
    link("round", to: "round")
    for name in ["out", "chain", "folder/secret", "inside", "up/secret", "round", "up/in/cup.png"] {
      #expect(refusal(allowed.path + "/" + name) == .refused, "\(name)")
    }
  }

  @Test func `D3: a folder that begins with an allowed one's name is another`() throws {
    try FileManager.default.createDirectory(
      atPath: allowed.path + "-evil", withIntermediateDirectories: true)
    try Data("x".utf8).write(to: URL(filePath: allowed.path + "-evil/x"))
    for path in ["\(allowed.path)-evil/x", "\(allowed.path)/../in-evil/x"] {
      #expect(refusal(path) == .refused)
    }
  }

  @Test func `D3: a file that was opened is read, whatever takes its place`() async throws {
    let path = allowed.path + "/swapped"
    try Data("right".utf8).write(to: URL(filePath: path))
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let opened = try folders.source(named: path, maximumSize: 1000)
      #expect(unlink(path) == 0)
      link("swapped", to: base.path + "/secret")
      #expect(refusal(path) == .refused)
      #expect(try await session.attach(.init(opened)).data() == Data("right".utf8))
      #expect(unlink(path) == 0)
      #expect(refusal(path) == .notFound)
      try Data("new".utf8).write(to: URL(filePath: path))
      let new = try folders.source(named: path, maximumSize: 1000)
      #expect(try await session.attach(.init(new)).data() == Data("new".utf8))
    }
  }

  /// Which of the two is met is left to chance, and no part of the proof: it is that the link is never followed. With
  /// `KEEPSAKE_ATTACK=all` they are swapped a hundred thousand times.
  @Test func `D3: a file that is swapped for a link meanwhile is never read through it`() throws {
    let path = allowed.path + "/swapped"
    let right = allowed.path + "/right"
    try Data("right".utf8).write(to: URL(filePath: right))
    try FileManager.default.linkItem(atPath: right, toPath: path)
    let roots = try AllowedRoots([allowed.path])
    let race = Race(path: path, file: right, secret: base.path + "/secret")
    defer { race.end() }
    var rounds = 0
    // Each has had its share then, on however few processors.
    let wanted = ProcessInfo.processInfo.environment["KEEPSAKE_ATTACK"] == "all" ? 100_000 : 2000
    while rounds < wanted || race.swaps < wanted, !race.isBroken {
      rounds += 1
      do {
        let file = try roots.open(path, maximumSize: 1000)
        #expect(try file.readAll(limit: 1000) == Array("right".utf8))
      } catch {
        #expect(error.code == .link, "\(error)")
      }
    }
    #expect(!race.isBroken)
  }

  /// Making one takes the right to the file: whoever could make it could as well have copied the bytes.
  @Test func `D3: a second name of a file is the file`() throws {
    try FileManager.default.linkItem(
      atPath: allowed.path + "/cup.png", toPath: allowed.path + "/second")
    #expect(refusal(allowed.path + "/second") == nil)
  }

  @Test func `D3: names are bytes: a blank, a dot, a case or an accent more is another file`()
    throws
  {
    #if os(Linux)
      for name in ["cup.png ", "cup.png.", "CUP.PNG", " cup.png"] {
        #expect(refusal("\(allowed.path)/\(name)") == .notFound, "\(name)")
      }
      let (composed, apart) = ("caf\u{E9}.png", "cafe\u{301}.png")
      _ = FileManager.default.createFile(
        atPath: "\(allowed.path)/\(composed)", contents: Data("x".utf8))
      #expect(refusal("\(allowed.path)/\(composed)") == nil)
      #expect(refusal("\(allowed.path)/\(apart)") == .notFound)
    #endif
  }

  @Test func `D3: a path that is longer than the system takes is refused`() {
    let long = allowed.path + String(repeating: "/deep/..", count: 2000) + "/cup.png"
    let name = allowed.path + "/" + String(repeating: "x", count: 300)
    #expect(refusal(long) == nil || refusal(long) == .refused || refusal(long) == .invalid)
    #expect(refusal(name) != nil)
    let deep = allowed.path + String(repeating: "/deep", count: 2000)
    #expect(refusal(deep) != nil)
  }
}

/// A thread that puts a link to a secret in the place of a file, and the file back, until it is ended.
private final class Race: Sendable {
  private struct State {
    var swaps = 0
    var isBroken = false
    var isOver = false
  }

  private let state: Locked<State>
  private let thread: WorkerThread

  var swaps: Int { state.withLock { $0.swaps } }

  /// Whether it could not swap them.
  var isBroken: Bool { state.withLock { $0.isBroken } }

  init(path: String, file: String, secret: String) {
    let state = Locked(State())
    let spare = path + ".spare"
    self.state = state
    thread = WorkerThread(name: "swapper") {
      var goesOn = true
      while goesOn {
        let isSwapped =
          symlink(secret, spare) == 0 && rename(spare, path) == 0
          && link(file, spare) == 0 && rename(spare, path) == 0
        goesOn = state.withLock { state in
          state.swaps += 1
          state.isBroken = !isSwapped
          return isSwapped && !state.isOver
        }
      }
    }
  }

  func end() {
    state.withLock { $0.isOver = true }
    thread.join()
  }
}
