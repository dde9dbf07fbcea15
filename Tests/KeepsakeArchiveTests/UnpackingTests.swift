import Foundation
import KeepsakeArchive
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

@Suite("Archives: what is unpacked")
struct UnpackingTests {
  @Test func `files come out as they went in, in folders of their own`() throws {
    let place = try Place()
    let zeros = Packed.Member.zeros("images/zeros.bin")
    let unpacked = try place.unpack(
      Packed.zip([
        .init("conversations.json", "[]"), .init("images/"), zeros, .init("./images/é 日本.txt", "a"),
      ]))
    let contents = try unpacked.contents
    #expect(
      contents.keys.sorted() == ["conversations.json", "images/zeros.bin", "images/é 日本.txt"])
    #expect(contents["conversations.json"] == "[]")
    #expect(contents["images/é 日本.txt"] == "a")
    #expect(contents["images/zeros.bin"]?.utf8.count == Packed.zeroCount)
    #expect(unpacked.refused.isEmpty)
    let hidden = try #require(try place.folder.names().first)
    #expect(try place.folder.status(hidden)?.mode == 0o700)
    unpacked.remove()
    #expect(try place.left.isEmpty)
  }

  @Test func `what was unpacked goes when nobody has it any more`() throws {
    let place = try Place()
    do {
      let unpacked = try place.unpack(Packed.zip([.init("a", "1")]))
      #expect(try unpacked.contents == ["a": "1"])
    }
    #expect(try place.left.isEmpty)
  }

  @Test func `what a killed process left is cleared away by the next`() throws {
    let place = try Place()
    let left = try HiddenFolder(in: place.folder).name
    #expect(try place.left == [left])
    let unpacked = try place.unpack(Packed.zip([.init("a", "1")]))
    #expect(try place.left.contains(left) == false)
    #expect(try unpacked.contents == ["a": "1"])
    unpacked.remove()
  }

  @Test func `an archive with nothing in it is whole`() throws {
    let place = try Place()
    let unpacked = try place.unpack(Packed.zip([]))
    #expect(unpacked.files.isEmpty && unpacked.refused.isEmpty)
  }

  @Test(arguments: ["", "a", String(repeating: "a line\n", count: 50_000)])
  func `what was compressed is decompressed`(text: String) throws {
    let place = try Place()
    for packed in [Packed.gzip(Array(text.utf8)), Packed.zstd(Array(text.utf8))] {
      let unpacked = try place.unpack(packed)
      #expect(try unpacked.contents == ["content": text])
    }
    #expect(try place.left.isEmpty)
  }

  @Test func `what was compressed twice is decompressed once`() throws {
    let place = try Place()
    let inner = Packed.gzip(Array("a".utf8))
    for packed in [Packed.gzip(inner), Packed.zstd(inner)] {
      let file = try #require(try place.unpack(packed).files.first)
      #expect(file.size == Int64(inner.count))
    }
  }

  @Test func `how far it is grows, and whoever has enough ends it`() throws {
    let place = try Place()
    let archive = Packed.zip((0..<50).map { .init("\($0)", String(repeating: "a", count: 9000)) })
    var told: [Int64] = []
    _ = try place.unpack(archive) { told.append($0) }
    #expect(told.count > 50)
    #expect((told.last ?? 0) > Int64(archive.count) / 2 && (told.max() ?? 0) <= archive.count)
    var count = 0
    #expect(throws: CancellationError.self) {
      try place.unpack(archive) { _ in
        count += 1
        if count == 20 { throw CancellationError() }
      }
    }
    #expect(try place.left.isEmpty)
  }
}
