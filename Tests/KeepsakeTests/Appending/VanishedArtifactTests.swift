import Foundation
import Testing

@testable import Keepsake

/// A large text or artifact that the store held when a write was made ready, and that is gone when its turn comes.
@Suite struct `Artifacts that vanish before they are written` {
  private static let text = String(repeating: "Ein Satz, 藍色. ", count: 80_000)

  enum Way: CaseIterable { case append, attach, save, revise, settle, finish }

  @Test(.timeLimit(.minutes(10)), arguments: Way.allCases)
  func `are taken in again`(way: Way) async throws {
    let text = Self.text
    let store = try await Store.temporary()
    let source = try await store.createSession()
    try await source.append(.response(text))
    let session = try await store.createSession()
    try await session.append(.response("short"))
    let draft = try await session.draft()
    switch way {
    case .append:
      try await store.removingArtifacts { try await session.append(.response(text)) }
      #expect(try await session.entry(at: 1).text == text)
    case .attach:
      let data = Data(text.utf8)
      try await store.removingArtifacts { try await session.attach(.init(.data(data)), to: 0) }
      #expect(try await session.entry(at: 0).attachments[0].data() == data)
    case .save:
      try await store.removingArtifacts {
        try await session.save([.response("short"), .response(text)])
      }
      #expect(try await session.entry(at: 1).text == text)
    case .revise:
      try await store.removingArtifacts { try await session.revise(0, to: .response(text)) }
      #expect(try await session.entry(at: 0).text == text)
    case .settle:
      let data = Data(text.utf8)
      let awaited = try await session.attach(.awaited(madeBy: .user), to: 0)
      try await store.removingArtifacts { try await session.settle(awaited, with: .data(data)) }
      #expect(try await session.attachment(awaited.label).data() == data)
    case .finish:
      try await store.removingArtifacts { try await draft.finish(.response(text)) }
      #expect(try await session.entry(at: 1).text == text)
    }
    try await store.removeTemporary()
  }
}
