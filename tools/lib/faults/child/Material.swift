import Foundation
import Keepsake

/// A store that was acknowledged whole, and of which each trial has a copy.
struct Material {
  let url: URL
  let kept: UUID
  let other: UUID

  static let text = String(repeating: "banana ", count: 60)
  static let texts = (0..<8).map { "\($0) \(text)" }

  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
  }

  init(in folder: URL) async throws {
    url = folder.appending(path: "Material.keepsake")
    let store = try await Store(at: url)
    let session = try await store.createSession(title: "Kept")
    for text in Self.texts { try await session.append(.prompt(text)) }
    try await session.attach(.init(.bytes(Self.bytes(1000))), to: 0)
    try await session.attach(.init(.bytes(Self.bytes(300_000))), to: 1)
    let other = try await store.createSession(title: "Other")
    try await other.append((0..<20).map { .prompt("\($0) \(Self.text)") })
    try await other.attach(.init(.bytes(Self.bytes(400_000))), to: 0)
    kept = session.id
    self.other = other.id
    await store.close()
  }
}
