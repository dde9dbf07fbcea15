import Foundation
import Keepsake
import Testing

@testable import KeepsakeMCP

/// The tool `get_artifact`: what is shown as an image, as text, or only named.
@Suite struct ArtifactToolTests {
  /// Attaches bytes, and gives a talker and the name of the artifact.
  private static func keep(
    _ bytes: [UInt8], type: MediaType? = nil, name: String? = nil
  ) async throws -> (Talker, JSON) {
    let store = try await TalkStore()
    let id = try await store.keep(bytes, type: type, name: name)
    return (try Talker(store), .string(id.description))
  }

  private static func blocks(_ result: JSON) -> [String] {
    result["content"]?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
  }

  @Test func `an image comes as it was stored, behind a line of facts`() async throws {
    let store = try await TalkStore()
    let talker = try Talker(store)
    for arguments: JSON in [
      ["artifact": "image_1", "session": .string(store.session.uuidString)],
      ["artifact": .string(store.image.description), "form": "image"],
      ["artifact": .string(String(store.image.description.dropFirst(7).prefix(8)))],
    ] {
      let result = try await talker.call("get_artifact", arguments)
      #expect(Self.blocks(result) == ["text", "image"])
      let facts = try #require(result["content"]?[0]?["text"]?.stringValue)
      #expect(
        facts.hasPrefix("\(store.image); image/png; \(TalkStore.png.count) bytes; 16×16 pixels"))
      #expect(facts.contains("\"image_1\"") && facts.contains("\"a ripe banana\""))
      let image = try #require(result["content"]?[1])
      #expect(image["mimeType"] == "image/png")
      #expect(
        Data(base64Encoded: image["data"]?.stringValue ?? "") == Data(TalkStore.png))
      #expect(result["structuredContent"] == nil)
    }
  }

  @Test(
    arguments: [
      (16, 16, 700_000, true), (16, 16, 700_001, false), (2000, 2000, nil, true),
      (2001, 16, nil, false), (16, 2001, nil, false),
    ] as [(Int, Int, Int?, Bool)]) func `an image is shown up to the sizes that clients take`(
      width: Int, height: Int, size: Int?, isShown: Bool
    ) async throws
  {
    let png = TestPNG.bytes(width: width, height: height, size: size)
    if let size { #expect(png.count == size) }
    let (talker, name) = try await Self.keep(png)
    let result = try await talker.call("get_artifact", ["artifact": name])
    #expect(result["isError"] == nil)
    #expect(Self.blocks(result) == (isShown ? ["text", "image"] : ["text"]))
    guard !isShown else { return }
    let text = try #require(result["content"]?[0]?["text"]?.stringValue)
    #expect(text.contains("Not shown") && text.contains("keepsake://artifact/"))
    #expect(
      try await talker.refusal("get_artifact", ["artifact": name, "form": "image"]).contains(
        "at most"))
  }

  @Test(
    arguments: [
      Array(#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#.utf8),
      Array("<!DOCTYPE html><script>alert(1)</script>".utf8), Array(TalkStore.png.dropLast()),
      Array(TalkStore.png.dropLast(13)), TalkStore.png + [0],
      TalkStore.png.enumerated().map { $0.offset == 45 ? ~$0.element : $0.element },
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF, 0xE0],
    ] as [[UInt8]]) func `what only claims to be an image, or is not whole, is never shown as one`(
      bytes: [UInt8]
    ) async throws
  {
    let (talker, name) = try await Self.keep(bytes, type: .png, name: "evil.png")
    let result = try await talker.call("get_artifact", ["artifact": name])
    #expect(Self.blocks(result) == ["text"])
    _ = try await talker.refusal("get_artifact", ["artifact": name, "form": "image"])
  }

  @Test(arguments: [1024, 8192])
  func `a text is read in pieces that join to the whole`(limit: Int) async throws {
    let text = String(repeating: "aé藍👩‍👩‍👧 \u{202E}x\n", count: 900)
    let (talker, name) = try await Self.keep(Array(text.utf8), name: "notes.txt")
    var joined = ""
    var next: JSON? = ["artifact": name, "form": "text"]
    while let arguments = next {
      var given = try #require(arguments.members).map { ($0.key, $0.value) }
      given.append(("max_bytes", .number(Int64(limit))))
      let answer = try await talker.text("get_artifact", .object(given))
      #expect(answer.utf8.count <= limit)
      let parts = try ReadingTests.parts(answer)
      #expect(parts.count == 1)
      // The frame puts a line end behind a piece that has none.
      let bytes = try #require(Self.range(parts[0].facts))
      let piece = Array(parts[0].text.utf8)
      joined += String(decoding: piece.count < bytes ? piece + [0x0A] : piece, as: UTF8.self)
      next = try ReadingTests.arguments(after: "rest", in: answer)
    }
    #expect(joined == VisibleText.block(text))
  }

  /// The bytes of a piece, from `artifact bytes 0..700 of 9000`.
  private static func range(_ facts: String) -> Int? {
    let numbers = facts.split { !$0.isNumber }.compactMap { Int($0) }
    return numbers.count == 3 ? numbers[1] - numbers[0] : nil
  }

  @Test func `other bytes are named by their resource, and a link is given when asked`()
    async throws
  {
    let (talker, name) = try await Self.keep([0, 1, 2, 3, 0xFF], name: "x.bin")
    let result = try await talker.call("get_artifact", ["artifact": name])
    #expect(result["content"]?[0]?["text"]?.stringValue?.contains("keepsake://artifact/") == true)
    #expect(
      try await talker.refusal("get_artifact", ["artifact": name, "form": "text"]).contains(
        "no text"))
    let link = try await talker.call("get_artifact", ["artifact": name, "form": "link"])
    let block = try #require(link["content"]?[1])
    #expect(block["type"] == "resource_link")
    #expect(block["size"] == 5)
    let uri = try #require(block["uri"]?.stringValue)
    let read = try await talker.ask("resources/read", #""uri":"\#(uri)""#, era: .modern)
    #expect(read["result"]?["contents"]?[0]?["blob"] == "AAECA/8=")
  }
}
