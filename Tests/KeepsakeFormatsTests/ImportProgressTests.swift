import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeFormats
import Testing

@Suite("How far an import is")
struct ImportProgressTests {
  @Test func `is told in steps that only grow, to the end`() async throws {
    try await withStore { store, _ in
      let told = Locked<[Double]>([])
      let file = Fixtures.folder.appending(path: "apple/os26.json")
      try await store.importFile(at: file) { fraction in told.withLock { $0.append(fraction) } }
      let steps = told.withLock { $0 }
      #expect(steps.count > 1 && steps.count <= 100)
      #expect(steps == steps.sorted())
      #expect(steps.last == 1)
    }
  }

  @Test func `a file that is skipped in part is named as it was given`() async throws {
    try await withStore { store, _ in
      let report = try await store.importFile(
        at: Fixtures.folder.appending(path: "apple/os27.json"))
      let path = Fixtures.folder.appending(path: "apple/os27.json").path
      for skipped in report.skipped { #expect(skipped.path == path) }
    }
  }
}
