import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@Suite("Finding artifacts")
struct ArtifactListTests {
  @Test func `the list has sizes, types, uses and makers, newest first`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let call = Entry.ToolCall(tool: "Draw")
      let png = try #require(Data(base64Encoded: Pixel.png))
      try await session.attach(.init(.data(png), madeBy: .user))
      try await session.attach(.init(.data(png), mediaType: .png, madeBy: .toolCall(call)))
      try await session.attach(.init(.bytes(Array("a note".utf8)), madeBy: .user))
      let list = try await store.artifacts().artifacts
      #expect(list.map(\.uses) == [1, 2])
      #expect(list.map(\.tool) == [nil, "Draw"])
      #expect(list.map(\.size) == [6, Int64(png.count)])
      #expect(list.map(\.mediaType) == [nil, .png])
      #expect(list[1].sniffedType == .png)
      #expect(list[1].pixelSize == PixelSize(width: 1, height: 1))
      #expect(list.map(\.state) == [.present, .present])
    }
  }

  @Test func `pages have no gaps and no repeats`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      var made: [Artifact.ID] = []
      for index in 0..<11 {
        let attached = try await session.attach(.init(.bytes([UInt8(index)]), madeBy: .user))
        made.insert(try #require(attached.artifact?.id), at: 0)
      }
      var paged: [Artifact.ID] = []
      var cursor: Artifact.Cursor?
      repeat {
        let page = try await store.artifacts(limit: 4, after: cursor)
        paged += page.artifacts.map(\.id)
        cursor = page.next.flatMap { Artifact.Cursor($0.description) }
      } while cursor != nil
      #expect(paged == made)
    }
  }

  @Test func `one is found by its name, or by the beginning of it`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let one = try await session.attach(.init(.bytes([1]), madeBy: .user))
      for index in 2..<40 {
        try await session.attach(.init(.bytes([UInt8(index)]), madeBy: .user))
      }
      let id = try #require(one.artifact?.id)
      let hex = id.digest.hex
      #expect(try await store.artifact(id).id == id)
      #expect(try await store.artifact(matching: String(hex.prefix(12))).id == id)
      #expect(try await store.artifact(matching: "sha256:" + hex.prefix(11).uppercased()).id == id)
      #expect(try await store.artifact(matching: hex).id == id)
      #expect(try await store.artifact(id).data() == Data([1]))
      let ambiguous = await #expect(throws: KeepsakeError.self) {
        // 40 artifacts begin with 16 digits.
        for digit in "0123456789abcdef" { _ = try await store.artifact(matching: String(digit)) }
      }
      #expect(ambiguous?.code == .conflict)
      for (text, code) in [
        ("", KeepsakeError.Code.invalid), ("xyz", .invalid), (hex + "0", .invalid),
        (String(repeating: "0", count: 20), .notFound),
      ] {
        let error = await #expect(throws: KeepsakeError.self) {
          try await store.artifact(matching: text)
        }
        #expect(error?.code == code, "\(text)")
      }
    }
  }
}
