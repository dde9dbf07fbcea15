import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("Many processes that have one store")
struct ManyProcessesTests {
  @Test func `F6: what forty processes append at once is all there`() async throws {
    let fruit = try await FruitStore()
    let processes = try (0..<40).map { number in
      try KeepsakeProcess(
        "append", fruit.session.uuidString, "--kind", "event", "by process \(number)",
        store: fruit.path)
    }
    for process in processes {
      let code = try await process.end()
      let said = try process.error
      #expect(code == 0, "\(said)")
    }
    let store = try await Store(at: URL(filePath: fruit.path), options: .readOnly)
    let entries = try await store.session(fruit.session).entries.all()
    #expect(entries.count == 5 + processes.count)
    #expect(
      Set(entries.dropFirst(5).map(\.text)) == Set((0..<40).map { "by process \($0)" }))
    #expect(entries.map(\.position) == Array(0..<entries.count))
    #expect(try await store.verify().isSound)
    await store.close()
  }
}
