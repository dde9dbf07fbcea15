import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeViewer

/// Attack 43: entries with tens of thousands of parts.
@Suite("What the page of an entry of many parts costs")
struct LargeEntryPageTests {
  /// What four times as much may cost at most: linear is 4, a square is 16.
  private static let limit = 8.0

  private static func html(of entry: Entry, outputs: [EntryFragment.Output] = []) -> HTML {
    var fragment = EntryFragment(FragmentContext(mentions: MentionIndex([]), place: .init(.init())))
    fragment.entry(entry, outputs: outputs)
    return fragment.html
  }

  @Test func `43: calls are shown with their outputs in time that grows with them`() {
    let growth = growth(from: 150) { count in
      let calls = (0..<count).map { Entry.ToolCall(id: "\($0)", tool: "Draw") }
      let outputs = calls.enumerated().map {
        EntryFragment.Output(ordinal: $0, entry: .toolOutput(for: $1, text: "output \($0)."))
      }
      return (Entry.toolCalls(calls), outputs)
    } of: { entry, outputs in
      let html = String(decoding: Self.html(of: entry, outputs: outputs).bytes, as: UTF8.self)
      #expect(html.contains("output \(outputs.count - 1)."))
      #expect(!html.contains("no output here"))
    }
    #expect(growth < Self.limit)
  }

  /// A prompt of so many images, none of which is there.
  private static func prompt(images count: Int) throws -> Entry {
    let attachments = (0..<count).map { number in
      """
      {"artifact":null,"session":"6F1C9B36-5B1C-4E0B-9B9C-2C6E3D0B7A11","label":"image_\(number)",
      "created":"2026-01-01T00:00:00Z","direction":"given","maker":"user","basis":"explicit",
      "state":"missing","segment":\(number),"recording":\(number + 1),"position":0}
      """
    }
    let segments = (0..<count).map { #"{"attachment":\#($0)}"# }
    return try Entry(
      json: JSON(
        validating: """
          {"kind":"prompt","position":0,"segments":[\(segments.joined(separator: ","))],
          "attachments":[\(attachments.joined(separator: ","))]}
          """))
  }

  @Test func `43: images stand at their segments in time that grows with them`() throws {
    let growth = try growth(from: 150, preparing: Self.prompt) { entry in
      let html = String(decoding: Self.html(of: entry).bytes, as: UTF8.self)
      #expect(html.contains("image_\(entry.segments.count - 1)<"))
    }
    #expect(growth < Self.limit)
  }

  @Test
  func `of many images those that are gone are named, and those that are there are shown`()
    async throws
  {
    try await withSession { session, store in
      let images = (0..<8).map { number in
        // A file each, which can be taken away.
        Entry.NewAttachment(
          .bytes(Picture.png(number: number) + [UInt8](repeating: 0, count: 140_000)))
      }
      let entry = try await session.append(.prompt("see"), attaching: images)
      let gone = Set(entry.attachments.compactMap(\.artifact?.id).dropLast())
      for artifact in gone {
        let hex = artifact.digest.hex
        try FileManager.default.removeItem(
          at: store.url.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))"))
      }
      let page = try await session.page()
      #expect(page.elements.filter { $0.name == "img" }.count == 1)
      #expect(page.text.components(separatedBy: "are gone from the store").count - 1 >= gone.count)
    }
  }
}
