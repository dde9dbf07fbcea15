import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// Finding a session by the beginning of its id, as people type and paste them.
@Suite struct `Looking a session up by the beginning of its id` {
  private static let first = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
  /// Differs from the first in the last digit only.
  private static let twin = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4e"
  /// Differs in the third digit.
  private static let cousin = "0a2b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
  private static let low = "00000000-0000-0000-0000-000000000000"
  private static let high = "ffffffff-ffff-ffff-ffff-ffffffffffff"

  private func withSessions(_ ids: [String], _ body: (Store) async throws -> Void) async throws {
    try await withTemporaryStore { store in
      for id in ids { _ = try await store.createSession(id: try #require(UUID(uuidString: id))) }
      try await body(store)
    }
  }

  private func expect(
    _ prefix: String, finds id: String, in store: Store,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.session(matching: prefix)
    #expect(found.id.uuidString.lowercased() == id, "\(prefix)", sourceLocation: location)
  }

  @Test func `takes any number of digits, with hyphens or without, in any case`() async throws {
    try await withSessions([Self.first, Self.low, Self.high]) { store in
      let digits = Self.first.filter { $0 != "-" }
      for count in 2...32 {
        let prefix = String(digits.prefix(count))
        try await expect(prefix, finds: Self.first, in: store)
        try await expect(prefix.uppercased(), finds: Self.first, in: store)
      }
      for count in 2...36 {
        try await expect(String(Self.first.prefix(count)), finds: Self.first, in: store)
        try await expect(
          String(Self.first.uppercased().prefix(count)), finds: Self.first, in: store)
      }
      try await expect("f", finds: Self.high, in: store)
      try await expect("00", finds: Self.low, in: store)
      try await expect(Self.low, finds: Self.low, in: store)
      try await expect(Self.high, finds: Self.high, in: store)
    }
  }

  @Test func `asks for more where several begin so, down to the last digit`() async throws {
    try await withSessions([Self.first, Self.twin, Self.cousin]) { store in
      for prefix in ["0", "0a", String(Self.first.prefix(35)), "0a1", "0A1B2C3D-4E5F-"] {
        let error = await keepsakeError { try await store.session(matching: prefix) }
        #expect(error?.code == .conflict, "\(prefix)")
        #expect(error?.message.contains("Give more of it") == true)
      }
      try await expect("0a2", finds: Self.cousin, in: store)
      try await expect(Self.first, finds: Self.first, in: store)
      try await expect(Self.twin, finds: Self.twin, in: store)
    }
  }

  @Test func `says where none begins so`() async throws {
    try await withSessions([Self.first]) { store in
      for prefix in ["0b", "1", "0a1b2c3d5", Self.twin] {
        let error = await keepsakeError { try await store.session(matching: prefix) }
        #expect(error?.code == .notFound, "\(prefix)")
        #expect(error?.message.contains(prefix) == true)
      }
    }
  }

  @Test(arguments: [
    "", "-", "----", "g", "0x0a", " 0a", "0a ", "0a1b\n", "é", "０ａ", "٠", "0a%", "0a*",
    "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d0",
  ])
  func `refuses what is no beginning of an id`(prefix: String) async throws {
    try await withSessions([Self.first, Self.low]) { store in
      let error = await keepsakeError { try await store.session(matching: prefix) }
      #expect(error?.code == .invalid)
    }
  }

  @Test func `finds neither hidden nor deleted sessions, and they are in nobody's way`()
    async throws
  {
    try await withSessions([Self.first, Self.twin, Self.cousin]) { store in
      let hidden = try await store.session(matching: Self.first)
      try await store.handle.write { change in
        let hide = try change.db.prepare("UPDATE session SET state = 1 WHERE number = ?")
        hide.bind(hidden.number, at: 1)
        try hide.run()
      }
      let deleted = try await store.session(matching: Self.cousin)
      _ = try await deleted.fork(id: try #require(UUID(uuidString: Self.high)))
      try await store.deleteSession(deleted.id)
      try await expect("0", finds: Self.twin, in: store)
      for gone in [Self.first, Self.cousin] {
        let error = await keepsakeError { try await store.session(matching: gone) }
        #expect(error?.code == .notFound)
      }
    }
  }
}
