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

  @Test(.timeLimit(.minutes(5)))
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

  /// Another process keeps putting a link in the place of a file, and back.
  @Test(.timeLimit(.minutes(5)))
  func `D3: a file that is swapped for a link meanwhile is never read through it`() async throws {
    let path = allowed.path + "/swapped"
    let secret = base.path + "/secret"
    let spare = allowed.path + "/spare"
    try Data("right".utf8).write(to: URL(filePath: path))
    let swapper = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import os, sys
        path, secret, spare = sys.argv[1:]
        print("begun", flush=True)
        while True:
            os.symlink(secret, spare)
            os.rename(spare, path)
            with open(spare, "w") as file:
                file.write("right")
            os.rename(spare, path)
        """, path, secret, spare,
      ])
    #expect(try swapper.waitForOutput())
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var read = 0
      var refused = 0
      for _ in 0..<2000 {
        do {
          let source = try folders.source(named: path, maximumSize: 1000)
          read += 1
          if read % 20 == 0 {
            let bytes = try await session.attach(.init(source)).data()
            // Written beside and renamed, so that it is whole, or not there.
            #expect(String(decoding: bytes, as: UTF8.self) == "right")
          }
        } catch let error as KeepsakeError {
          refused += 1
          #expect(error.code == .refused || error.code == .notFound, "\(error)")
        }
      }
      #expect(read > 0 && refused > 0, "\(read) were read, \(refused) refused: nothing was raced")
    }
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
