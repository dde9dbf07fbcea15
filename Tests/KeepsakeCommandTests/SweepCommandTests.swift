import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake sweep and keepsake compact")
struct SweepCommandTests {
  /// Leaves a file in the store that belongs to nothing, and beside it what a killed backup leaves.
  private func leave(in fruit: FruitStore) throws -> (stray: String, hidden: String) {
    let folder = URL(filePath: fruit.path).appending(path: "artifacts/ab")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let stray = folder.appending(path: String(repeating: "c", count: 62))
    try Data(count: 12_345).write(to: stray)
    let hidden = try HiddenFolder(in: Directory(path: fruit.folder.url.path))
    try Data(count: 2000).write(to: URL(filePath: hidden.folder.path(of: "store.sqlite")))
    return (stray.path, fruit.folder.path(hidden.name))
  }

  private func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  @Test func `a dry run says what would go, and a sweep removes it`() async throws {
    let fruit = try await FruitStore()
    let nothing = await fruit.run("sweep", "--dry-run")
    #expect(nothing.output == "A sweep would find nothing to remove.\n", "\(nothing.error)")
    let (stray, hidden) = try leave(in: fruit)
    let young = await fruit.run("sweep", "--dry-run")
    #expect(young.output == "A sweep would remove:\n  other files  1  2.0 KB\n")
    let dry = await fruit.run("sweep", "--dry-run", "--older-than", "0h")
    #expect(dry.output == "A sweep would remove:\n  other files  2  14 KB\n", "\(dry.error)")
    #expect(isThere(stray) && isThere(hidden))
    let run = await fruit.run("sweep", "--older-than", "0h")
    #expect(run.code == .done, "\(run.error)")
    #expect(run.output == "Removed:\n  other files  2  14 KB\n")
    #expect(!isThere(stray) && !isThere(hidden))
    #expect(await fruit.run("sweep").output == "There was nothing to remove.\n")
    let log = try await fruit.run("log", "--json").json()
    #expect(log[0]?["event"]?.stringValue == "sweep")
    let json = try await fruit.run("sweep", "--dry-run", "--json").json()
    #expect(json["dryRun"]?.boolValue == true)
    #expect(json["files"]?.intValue == 0)
    #expect(await fruit.run("sweep", "--older-than", "soon").code == .usage)
  }

  /// A store whose one large artifact is missing.
  private func storeWithLostArtifact() async throws -> FruitStore {
    let fruit = try await FruitStore()
    let large = fruit.folder.path("large.bin")
    try Data(repeating: 3, count: 200_000).write(to: URL(filePath: large))
    #expect(await fruit.run("attach", "last", large).code == .done)
    try FileManager.default.removeItem(atPath: fruit.path + "/artifacts")
    return fruit
  }

  @Test func `G7: a sweep of a store that is not whole removes nothing and ends with 2`()
    async throws
  {
    let fruit = try await storeWithLostArtifact()
    let (stray, _) = try leave(in: fruit)
    for arguments in [
      ["sweep", "--older-than", "0h"], ["sweep", "--older-than", "0h", "--dry-run"],
    ] {
      let run = await CommandRun(list: arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .damaged)
      #expect(run.error.contains("removed nothing"), "\(run.error)")
      #expect(run.error.contains("keepsake verify"))
      #expect(isThere(stray))
    }
  }

  @Test func `G7: a sweep goes on without the artifacts that are given up by their names`()
    async throws
  {
    let fruit = try await storeWithLostArtifact()
    let (stray, _) = try leave(in: fruit)
    let refused = await fruit.run("sweep", "--older-than", "0h")
    #expect(refused.code == .damaged)
    #expect(refused.error.contains("'keepsake sweep --give-up ARTIFACT'"), "\(refused.error)")
    let name = "sha256:" + SHA256.digest(of: [UInt8](repeating: 3, count: 200_000)).hex
    let sweep = ["sweep", "--older-than", "0h", "--give-up", name]
    let store = ["KEEPSAKE_STORE": fruit.path]
    let dry = await CommandRun(list: sweep + ["--dry-run"], environment: store)
    #expect(dry.code == .done, "\(dry.error)")
    #expect(isThere(stray))
    let run = await CommandRun(list: sweep, environment: store)
    #expect(run.code == .done, "\(run.error)")
    #expect(run.error.contains("Went on although \(name) is missing."), "\(run.error)")
    #expect(!isThere(stray))
    #expect(await fruit.run("verify").code == .damaged)
    let json = try await CommandRun(list: sweep + ["--json"], environment: store).json()
    #expect(json["gaveUp"]?.arrayValue?.map(\.stringValue) == [name])
    // What is there, or was never there, is a mistake in the name.
    let other = await fruit.run(
      "sweep", "--give-up", name, "--give-up", "sha256:" + SHA256.digest(of: [1]).hex)
    #expect(other.code != .done)
    #expect(other.error.contains("is not missing"), "\(other.error)")
    #expect(await fruit.run("sweep", "--give-up", "image_1").code == .usage)
  }

  @Test func `compacting shows a person who waits how far it is`() async throws {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.createSession()
      for part in 0..<4 {
        let files = (0..<100).map { Data([UInt8(part), UInt8($0)]) + Data(count: 100_000) }
        try await session.append(.event("files"), attaching: files.map { .init(.data($0)) })
      }
    }
    let said = Locked("")
    let terminal = Terminal(
      width: 60, showsProgress: true, output: { _ in },
      error: { text in said.withLock { $0 += text } })
    let program = Program(terminal: terminal, environment: ["KEEPSAKE_STORE": fruit.path])
    #expect(await program.run(["compact"]) == .done)
    let shown = said.withLock { $0 }
    #expect(shown.contains(" MB anew  "), "\(shown)")
    #expect(shown.contains(" %"))
    #expect(shown.hasSuffix("\r\u{1B}[K"))
    #expect(await fruit.run("compact").error.isEmpty)
  }

  @Test func `what is deleted is given back, and otherwise it is told who gives it back`()
    async throws
  {
    let fruit = try await FruitStore()
    var sessions: [UUID] = []
    try await fruit.change { store in
      for (number, pages) in [2, 4].enumerated() {
        let session = try await store.createSession()
        for page in 0..<pages {
          let bytes = (0..<90).map { index in
            Data([UInt8(number), UInt8(page), UInt8(index)]) + Data(count: 100_000)
          }
          try await session.append(.event("page"), attaching: bytes.map { .init(.data($0)) })
        }
        sessions.append(session.id)
      }
    }
    // 36 MB stay: more than is written anew without being asked.
    let first = await fruit.run("rm", sessions[0].uuidString)
    #expect(first.code == .done)
    #expect(first.error.contains("of the database are free now"), "\(first.error)")
    #expect(first.error.contains("'keepsake compact'"))
    #expect(await fruit.run("doctor").output.contains("back to the disk"))
    let compact = await fruit.run("compact")
    #expect(compact.code == .done, "\(compact.error)")
    #expect(compact.output.contains("MB less than before."))
    #expect(try await fruit.run("doctor", "--json").json()["freeBytes"]?.intValue == 0)
    let second = await fruit.run("rm", sessions[1].uuidString)
    #expect(second.error.contains("Gave "), "\(second.error)")
    #expect(second.error.contains(" MB back to the disk."), "\(second.error)")
    #expect(!second.error.contains("'keepsake compact'"), "\(second.error)")
    // A store that rests in the middle of a deletion gives back what is free by then; what comes after it may be too
    // little to be worth writing the database anew.
    let health = try await fruit.run("doctor", "--json").json()
    let all = try #require(health["databaseBytes"]?.intValue)
    let free = try #require(health["freeBytes"]?.intValue)
    #expect(all - free < 1_000_000)
    #expect(free < 16 << 20)
    #expect(
      try await fruit.run("compact", "--json").json().names == ["databaseBytes", "freedBytes"])
  }

  @Test func `doctor tells what was left, and what to do`() async throws {
    let fruit = try await FruitStore()
    #expect(await !fruit.run("doctor").output.contains("sweep"))
    let (_, hidden) = try leave(in: fruit)
    let run = await fruit.run("doctor")
    #expect(run.output.contains("2.0 KB of programs that were killed, in 1 file or folder"))
    #expect(run.output.contains("keepsake sweep"))
    #expect(isThere(hidden))
    let json = try await fruit.run("doctor", "--json").json()
    #expect(json["leftovers"]?.intValue == 1)
    #expect(json["leftoverBytes"]?.intValue == 2000)
    #expect(json["reserveBytes"]?.intValue == 0)
  }
}
