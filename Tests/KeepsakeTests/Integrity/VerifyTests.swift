import Foundation
import Keepsake
import Testing

@Suite("Verifying a store")
struct VerifyTests {
  @Test func `a store that nobody altered is sound, and both verifiers see the same heads`()
    async throws
  {
    let made = try await EverythingStore()
    defer { try? made.remove() }
    for options in [Store.Options(), .readOnly] {
      let store = try await Store(at: made.path, options: options)
      let report = try await store.verify(.init(database: .full, readData: true))
      await store.close()
      #expect(report.findings == [])
      #expect(report.isSound)
      #expect(report.counts.sessions == 3)
      #expect(report.counts.entries == 11)
      #expect(report.counts.revisions == 2)
      #expect(report.counts.attachments == 5)
      #expect(report.counts.invocations == 2)
      #expect(report.counts.artifacts == 4)
      #expect(report.counts.bytesRead > 150_000)
      let other = try OtherVerifier.run(made.path)
      #expect(other.status == 0, "\(other.faults)")
      #expect(other.heads == report.heads.map(\.description))
    }
  }
}
