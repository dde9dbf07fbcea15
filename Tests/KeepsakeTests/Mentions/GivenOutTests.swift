import Foundation
import Testing

@testable import Keepsake

@Suite("Files that were given out")
struct GivenOutTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func fill(_ store: Store) async throws -> (id: UUID, given: [String]) {
    let session = try await store.createSession()
    try await session.append(.prompt("two cups"))
    var given: [String] = []
    for (index, name) in ["my green cup.png", nil].enumerated() {
      let attachment = try await session.attach(
        .init(.data(Data("cup \(index)".utf8)), mediaType: "image/png", fileName: name), to: 0)
      given += [try await attachment.fileURL().absoluteString, try await attachment.fileURL().path]
    }
    return (session.id, given)
  }

  @Test func `9: a file URL that was given out is recognised when the store stands elsewhere`()
    async throws
  {
    let old = folder.url.appending(path: "App (1)/Application Support/Chats.keepsake")
    let new = folder.url.appending(path: "Elsewhere.keepsake")
    try FileManager.default.createDirectory(
      at: old.deletingLastPathComponent(), withIntermediateDirectories: true)
    let store = try await Store(at: old)
    let (id, given) = try await fill(store)
    await store.close()
    try FileManager.default.moveItem(at: old, to: new)
    let moved = try await Store(at: new)
    let session = try await moved.session(id)
    for (index, reference) in given.enumerated() {
      let label = index < 2 ? "image_1" : "image_2"
      for text in [reference, "![a cup](<\(reference)>)", "`\(reference)`", "\"\(reference)\""] {
        let resolution = try await session.resolve(text)
        #expect(resolution.attachment?.label == label, "\(text)")
        #expect(resolution.match == .path, "\(text)")
      }
      let sentence = "Here it is: \(reference). Nice!"
      let mentions = try await session.mentions(in: .response(sentence))
      #expect(mentions.map(\.spelling) == [reference])
      let index = try await session.mentionIndex()
      let rewritten = try await index.rewriting([.response(sentence)], as: .labels)
      #expect(rewritten.entries[0].text == "Here it is: \(label). Nice!")
      let again = try await index.rewriting([.response(sentence)], as: .fileURLs)
      let url = try #require(mentions.first?.resolution.attachment)
      #expect(
        again.entries[0].text == "Here it is: \(try await url.fileURL().absoluteString). Nice!")
    }
    await moved.close()
  }

  @Test func `9: only the file of a cache is taken for one`()
    async throws
  {
    let store = try await Store(at: folder.store)
    let (id, given) = try await fill(store)
    let session = try await store.session(id)
    let file = try #require(given.last)
    let name = try #require(file.split(separator: "/").last)
    let hash = file.split(separator: "/").dropLast().last ?? ""
    #expect(try await session.resolve("/var/mobile/A/cache/\(hash)/\(name)").attachment != nil)
    #expect(try await session.resolve("cache/\(hash)/\(name)").attachment?.label == "image_2")
    for other in [
      String(name), "/var/A/cached/\(hash)/\(name)", "/var/A/mycache/\(hash)/\(name)",
      "\(hash)/\(name)",
      "/A/cache/\(hash.reversed())/\(name)", "/A/cache/\(hash)/\(name).bak",
    ] {
      #expect(try await session.resolve(other).attachment == nil, "\(other)")
    }
    await store.close()
  }

  @Test func `9: where a given out path begins is seen in running text`() async throws {
    let store = try await Store(at: folder.store)
    let (id, given) = try await fill(store)
    let session = try await store.session(id)
    let tail = try #require(given.last).split(separator: "/").suffix(3).joined(separator: "/")
    let places = [
      "/Users/alice/Library/Application Support/X.keepsake/", "file:///private/var/X.keepsake/",
      "~/X.keepsake/", "C:/Data/X.keepsake/", "sandbox:/X/", "X.keepsake/", "",
    ]
    for place in places {
      for text in ["See \(place)\(tail)", "Saved to:\(place)\(tail), and", "in (\(place)\(tail))"] {
        let spelled = try await session.mentions(in: .response(text)).map(\.spelling)
        // A scheme or a drive right behind a colon is not told from a word before it.
        if text.hasPrefix("Saved"), place.contains(":") || !place.hasPrefix("/") { continue }
        #expect(spelled == [place + tail], "\(text)")
      }
    }
    let two = "/a/b.png with X.keepsake/\(tail)"
    #expect(
      try await session.mentions(in: .response(two)).map(\.spelling) == ["X.keepsake/\(tail)"])
    await store.close()
  }
}
