import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakePostgres

extension HubMeasure {
  static let firstRead = HubMeasure(names: ["first read of 200 entries that are not here"]) {
    shop, names in
    let writer = try await shop.sharedStore()
    let texts = shop.material.texts(200)
    // A process that has read before has its connection and its statements, as plain C has.
    let rounds = shop.rounds + 1
    let sessions = try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<rounds {
        group.addTask {
          let session = try await writer.createSession()
          for text in texts { try await session.append(.response(text)) }
          return session.id
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await writer.removeTemporary()
    let reader = try await shop.sharedStore()
    let plain = PlainHub(shop.address)
    var next = 0
    func keepsake() async throws -> Double {
      defer { next += 1 }
      return try await microseconds {
        guard try await reader.session(sessions[next]).entries.all().count == texts.count else {
          throw KeepsakeError(.inputOutput, "A session was read that has other entries.")
        }
      } / 1000
    }
    func yardstick() async throws -> Double {
      let call = PlainCalls([
        shop.hub.request(reading: sessions[next % rounds], after: 0, bytes: 8 << 20)
      ])
      return await microseconds { _ = plain.read(call) } / 1000
    }
    _ = try await keepsake()
    _ = try await yardstick()
    let comparison = try await Comparison.rounds(shop.rounds, keepsake, against: yardstick)
    try await reader.removeTemporary()
    return [Row(names[0], comparison, unit: "ms", goal: .ratioAtMost(2))]
  }
}
