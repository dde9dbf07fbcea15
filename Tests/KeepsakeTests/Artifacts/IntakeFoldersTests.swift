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

@Suite("Taking in a file that a tool names")
final class IntakeFoldersTests {
  let base: URL
  let allowed: URL
  let folders: IntakeFolders

  init() throws {
    base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appending(path: "intake-\(UUID().uuidString)")
    allowed = base.appending(path: "in")
    try FileManager.default.createDirectory(
      at: allowed.appending(path: "deep"), withIntermediateDirectories: true)
    folders = try IntakeFolders([allowed])
    try Data("outside".utf8).write(to: base.appending(path: "secret"))
    try write("a cup.png", "cup")
  }

  deinit {
    do { try FileManager.default.removeItem(at: base) } catch {
      Issue.record("Can't remove \(base.path): \(error)")
    }
  }

  private func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: allowed.appending(path: name))
  }

  private func bytes(_ name: String, maximumSize: Int64 = 1000) async throws -> String {
    let source = try folders.source(named: name, maximumSize: maximumSize)
    return try await withTemporaryStore { store in
      let session = try await store.createSession()
      let attached = try await session.attach(.init(source, madeBy: .user))
      return String(decoding: try await attached.data(), as: UTF8.self)
    }
  }

  private func refusal(_ name: String, maximumSize: Int64 = 1000) -> KeepsakeError.Code? {
    do {
      _ = try folders.source(named: name, maximumSize: maximumSize)
      return nil
    } catch let error as KeepsakeError { return error.code } catch { return .inputOutput }
  }

  @Test(arguments: [
    "$/a cup.png", "$/a%20cup.png", "file://$/a%20cup.png", "file:$/a%20cup.png",
    "FILE://localhost$/a%20cup.png", "file://$/a cup.png", "file://$/deep/../a%20cup.png",
    "file://$/a%20cup.png?x=1#y", "$/%61%20cup.png", "$/./deep//../a cup.png",
  ])
  func `every spelling of a path gives the file`(spelling: String) async throws {
    let name = spelling.replacingOccurrences(of: "$", with: allowed.path)
    #expect(try await bytes(name) == "cup")
  }

  @Test func `a name that looks encoded is taken as it stands first`() async throws {
    try write("100%20.txt", "as it stands")
    try write("100 .txt", "decoded")
    #expect(try await bytes(allowed.path + "/100%20.txt") == "as it stands")
    #expect(try await bytes("file://" + allowed.path + "/100%2520.txt") == "as it stands")
    #expect(try await bytes("file://" + allowed.path + "/100%20.txt") == "decoded")
    try write("a#b?.txt", "odd")
    #expect(try await bytes("file://" + allowed.path + "/a#b?.txt") == "odd")
  }

  @Test func `nothing is decoded twice`() throws {
    try write("x", "x")
    // As it stands it is a folder that is not there; decoded it leads outside.
    #expect(refusal(allowed.path + "/%2e%2e/secret") == .notFound)
    // `%252e%252e` is the file `%2e%2e`, and never `..`.
    #expect(refusal("file://" + allowed.path + "/deep/%252e%252e/x") == .notFound)
    #expect(
      try IntakeFolders.spellings(of: "file:///a%2541")
        == ["/a%41", "/a%2541"])
  }

  @Test(arguments: [
    "$/../secret", "file://$/%2E%2E/secret", "file://$/..%2fsecret",
    "$2/x", "/etc/passwd", "/proc/self/environ", "file:///proc/self/mem", "/dev/zero",
    "/sys/kernel/notes", "$/deep/../../secret",
  ])
  func `what is outside is refused`(spelling: String) {
    let name = spelling.replacingOccurrences(of: "$", with: allowed.path)
    #expect(refusal(name) == .refused)
  }

  @Test(arguments: [
    "", "a cup.png", "./a cup.png", "~/x", "file:relative", "C:\\x", "file://$/a\0b",
    "$/a cup.png\0", "..",
  ])
  func `what is no absolute path is refused`(spelling: String) {
    let name = spelling.replacingOccurrences(of: "$", with: allowed.path)
    #expect(refusal(name) == .invalid)
  }

  @Test(arguments: [
    "http://169.254.169.254/", "https://example.org/a.png", "data:image/png;base64,AAAA",
    "file://server/share/x", "content://x/y", "gopher://x",
  ])
  func `nothing is fetched`(name: String) {
    #expect(refusal(name) == .refused)
  }

  @Test func `links lead nowhere`() throws {
    let manager = FileManager.default
    try manager.createSymbolicLink(
      at: allowed.appending(path: "file"), withDestinationURL: base.appending(path: "secret"))
    try manager.createSymbolicLink(
      at: allowed.appending(path: "folder"), withDestinationURL: base)
    #expect(refusal(allowed.path + "/file") == .refused)
    #expect(refusal(allowed.path + "/folder/secret") == .refused)
  }

  @Test(.timeLimit(.minutes(60))) func `a pipe or a folder is refused at once`() {
    #expect(mkfifo(allowed.path + "/pipe", 0o600) == 0)
    #expect(refusal(allowed.path + "/pipe") == .refused)
    #expect(refusal(allowed.path + "/deep") == .refused)
  }

  @Test func `size is bounded when it is opened and when it is read`() async throws {
    #expect(refusal(allowed.path + "/a cup.png", maximumSize: 2) == .tooLarge)
    let large = allowed.appending(path: "large")
    try Data(count: 200_000).write(to: large)
    let source = try folders.source(named: large.path, maximumSize: 250_000)
    let handle = try FileHandle(forWritingTo: large)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(count: 100_000))
    try handle.close()
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let error = await #expect(throws: KeepsakeError.self) {
        try await session.attach(.init(source, madeBy: .user))
      }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test func `a source is the file that was opened, and can be attached twice`() async throws {
    let path = allowed.path + "/a cup.png"
    let source = try folders.source(named: path)
    try FileManager.default.removeItem(atPath: path)
    try write("a cup.png", "another")
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      for _ in 0..<2 {
        let attached = try await session.attach(.init(source, madeBy: .user))
        #expect(try await attached.data() == Data("cup".utf8))
      }
    }
  }

  @Test func `a folder that is not there can't be allowed`() {
    let error = #expect(throws: KeepsakeError.self) {
      try IntakeFolders([base.appending(path: "nothing")])
    }
    #expect(error?.code == .notFound)
  }
}
