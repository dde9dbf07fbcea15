import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("What formats say that they leave out")
struct LossKindTests {
  @Test func `a format that is read says how it is known, and none but written ones leave out`() {
    for format in Format.all {
      #expect((format.sign != nil) == format.canRead, "\(format.name)")
      #expect(format.canWrite || format.leavesOut.isEmpty, "\(format.name)")
    }
  }

  @Test func `what is lost has words of its own`() {
    let titles = Losses.Kind.allCases.map(\.title)
    #expect(Set(titles).count == titles.count)
  }

  @Test(arguments: Format.all.filter(\.canWrite))
  func `an export loses nothing of a kind that its format does not name`(format: Format)
    async throws
  {
    try await withStore { store, _ in
      let made = try await EverythingSession.make(in: store)
      let rich = try await RichSession.make(in: store)
      for session in [made.session, made.fork, rich] {
        for artifacts in format.artifacts where artifacts != .files {
          var options = ExportOptions()
          options.artifacts = artifacts
          let (_, losses) = try await session.exported(as: format.name, options: options)
          let unnamed = losses.counts.keys.filter { !format.leavesOut.contains($0) }
          #expect(unnamed == [])
        }
      }
    }
  }
}
