import Foundation
import Testing

@testable import Keepsake

@Suite("Remedies")
struct RemedyTests {
  private static let all: [KeepsakeError.Remedy] = [
    .verify, .verifyAndRestore, .upgrade, .makeStore, .backUp, .listArtifacts, .sweep,
    .moveToNewStore, .restoreMissing, .restoreMissingOrGiveUp, .giveUpDamaged,
    .fork(UUID(), before: 4), .sweepHub, .putAgain, .makeAnotherHub, .upgradeHub,
    .listAgain,
  ]

  @Test func `each is a sentence that names no command, and another than the rest`() {
    for remedy in Self.all {
      #expect(!remedy.description.contains("'keepsake"), "\(remedy)")
      #expect(!remedy.description.contains("--"), "\(remedy)")
      #expect(remedy.description.hasSuffix("."), "\(remedy)")
    }
    #expect(Set(Self.all.map(\.description)).count == Self.all.count)
    #expect(Set(Self.all).count == Self.all.count)
  }

  @Test func `a message says what failed, and then what to do`() {
    let error = KeepsakeError(.damaged, "It is damaged.", remedy: .verify)
    #expect(error.failure == "It is damaged.")
    #expect(error.message == "It is damaged. Verify the store.")
    #expect(error.localizedDescription == error.message)
    #expect(KeepsakeError(.closed, "It is closed. Open it again.").remedy == nil)
  }

  @Test func `a finding is encoded as it was, with its remedy in words`() throws {
    let finding = VerifyReport.Finding(
      severity: .harmless, object: "a file", what: "It is left over.", action: .sweep)
    let data = try JSONEncoder().encode(finding)
    let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: String])
    #expect(Set(object.keys) == ["severity", "object", "what", "remedy"])
    #expect(object["remedy"] == KeepsakeError.Remedy.sweep.description)
    let read = try JSONDecoder().decode(VerifyReport.Finding.self, from: data)
    #expect(read.description == finding.description)
    #expect(read.action == nil)
  }
}
