import Foundation
import KeepsakeFiles
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("Remedies at a command line")
struct RemedyWordsTests {
  @Test(arguments: [
    (KeepsakeError.Remedy.verify, "Run 'keepsake verify'."),
    (.verifyAndRestore, "Run 'keepsake verify' and restore a backup."),
    (.upgrade, "Upgrade keepsake."),
    (
      .makeStore,
      "Check the path. To make one, open it for writing, as 'keepsake new' and 'keepsake import' do."
    ),
    (.backUp, "Name another file; to copy a store, use 'keepsake backup'."),
    (.listArtifacts, "Look for it with 'keepsake artifacts'."),
    (.sweep, "Nothing is lost; 'keepsake sweep' removes it."),
    (
      .moveToNewStore,
      "Take what is in it into a new store: 'keepsake export --all --format bundle -o FILE', and then 'keepsake import FILE'; or restore a backup."
    ),
    (
      .restoreMissing,
      "Run 'keepsake verify'; restore what is missing from a backup, or attach it again."
    ),
    (
      .restoreMissingOrGiveUp,
      "Run 'keepsake verify'; restore what is missing from a backup, or attach it again. Where that can't be done, name what is lost: 'keepsake sweep --give-up ARTIFACT'."
    ),
    (.giveUpDamaged, "Give up only what 'keepsake verify' lists as damaged."),
    (.sweepHub, "Nothing is lost; 'keepsake hub sweep' removes it."),
    (.putAgain, "A store that has it puts it there again: 'keepsake hub check --repair'."),
    (
      .upgradeHub,
      "Stop the programs that use it with an earlier version, and run 'keepsake hub upgrade'."
    ),
    (.listAgain, "Nothing is lost; 'keepsake hub check --repair' makes the lists again."),
    (
      .makeAnotherHub,
      "Every store that joined has a copy of its own. Make another hub: 'keepsake leave', 'keepsake hub init URL', 'keepsake join URL'."
    ),
  ])
  func `each is worded as the command that does it`(
    remedy: KeepsakeError.Remedy, words: String
  ) {
    #expect(remedy.command == words)
    #expect(KeepsakeError(.damaged, "It failed.", remedy: remedy).told == "It failed. \(words)")
  }

  @Test func `each command that is named is one that there is`() throws {
    let named = Set(
      Self.all.flatMap { $0.command.matches(of: /'keepsake ([a-z-]+)/).map { String($0.1) } })
    #expect(!named.isEmpty)
    for name in named { _ = try Program.command(name) }
  }

  private static let all: [KeepsakeError.Remedy] = [
    .verify, .verifyAndRestore, .makeStore, .backUp, .listArtifacts, .sweep, .moveToNewStore,
    .restoreMissing, .restoreMissingOrGiveUp, .giveUpDamaged, .fork(UUID(), before: 1),
    .sweepHub, .putAgain, .makeAnotherHub, .upgradeHub, .listAgain,
  ]

  @Test func `an artifact that is not there is looked for with a command`() async throws {
    let fruit = try await FruitStore()
    let id = "sha256:\(String(repeating: "0", count: 64))"
    let run = await fruit.run("audit", id)
    #expect(run.code == .failed)
    #expect(
      run.error
        == "keepsake: The store does not hold \(id). Look for it with 'keepsake artifacts'.\n")
  }

  @Test func `a file of a store is refused with a command, also by what reads other files`()
    async throws
  {
    let fruit = try await FruitStore()
    let database = "\(fruit.path)/store.sqlite"
    for words in [
      ["attach", "last", database], ["import", database], ["verify", "--heads", database],
    ] {
      let run = await CommandRun(list: words, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code != .done)
      #expect(
        run.error.contains("Name another file; to copy a store, use 'keepsake backup'."),
        "\(words): \(run.error)")
    }
  }

  @Test func `a file that parts ways is forked with a command`() async throws {
    let fruit = try await FruitStore()
    let path = fruit.folder.path("chat.json")
    try FileManager.default.copyItem(atPath: Fixtures.path("apple/os26.json"), toPath: path)
    let run = await fruit.run("import", "--into", "last", path)
    let id = fruit.session.uuidString.lowercased()
    #expect(run.code == .failed)
    #expect(
      run.error.contains("Fork it there ('keepsake fork \(id) --before 1'), and take the file"),
      "\(run.error)")
  }

  @Test func `what is left over is swept with a command, also in JSON`() async throws {
    let fruit = try await FruitStore()
    let folder = URL(filePath: fruit.path).appending(path: "artifacts/ab")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let name = String(repeating: "c", count: 62)
    try Data([1]).write(to: folder.appending(path: name))
    let wanted = "Nothing is lost; 'keepsake sweep' removes it."
    #expect(await fruit.run("verify").output.contains(wanted))
    let findings = try await fruit.run("verify", "--json").json()["findings"]?.arrayValue
    #expect(findings?.map { $0["remedy"]?.stringValue } == [wanted])
  }
}
