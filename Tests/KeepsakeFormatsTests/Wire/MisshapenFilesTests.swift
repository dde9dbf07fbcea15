import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

/// Files whose JSON is sound and whose content is not what their format says: values of other kinds, members that are gone,
/// elements that come twice. Nobody may be stopped by them, and nothing of them may be lost.
@Suite("Files of other shapes than they should have")
struct MisshapenFilesTests {
  private static let chatGPT =
    #"[{"title":"Fruit","conversation_id":"c-1","current_node":"t","mapping":{"u":{"id":"u","parent":null,"children":["c"],"message":{"id":"u","author":{"role":"user"},"create_time":1700000000.5,"content":{"content_type":"multimodal_text","parts":["draw this",{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-abc"}]},"metadata":{"attachments":[{"id":"f","name":"a"}]}}},"c":{"id":"c","parent":"u","children":["t"],"message":{"id":"c","author":{"role":"assistant"},"content":{"content_type":"code","text":"{}"},"recipient":"dalle"}},"t":{"id":"t","parent":"c","children":[],"message":{"id":"t","author":{"role":"tool","name":"dalle"},"content":{"content_type":"text","parts":["done"]}}},"o":{"id":"o","parent":"u","children":[],"message":{"id":"o","author":{"role":"assistant"},"content":{"content_type":"thoughts","thoughts":[{"summary":"a","content":"b"}]}}}}}]"#

  private static let claude =
    #"[{"uuid":"c-1","name":"Fruit","current_leaf_message_uuid":"m3","chat_messages":[{"uuid":"m1","parent_message_uuid":null,"sender":"human","created_at":"2026-01-02T03:04:05Z","content":[{"type":"text","text":"see"}],"attachments":[{"file_name":"a","extracted_content":"b"}],"files":[{"file_uuid":"f"}]},{"uuid":"m2","parent_message_uuid":"m1","sender":"assistant","content":[{"type":"tool_use","name":"t","input":{}},{"type":"tool_result","name":"t","content":[{"type":"text","text":"1"}]}]},{"uuid":"m3","parent_message_uuid":"m1","sender":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]}]}]"#

  private static let files =
    WireFixtures.all + FrameworkFixtures.all + [("chatgpt", chatGPT), ("claude-ai", claude)]

  @Test(arguments: files)
  func `they are taken in, known the next time, and come out as they were`(
    format: String, text: String
  ) async throws {
    let seed =
      ProcessInfo.processInfo.environment["KEEPSAKE_SEED"].flatMap(UInt64.init)
      ?? .random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    try await withStore { store, folder in
      for round in 0..<30 {
        let place: Comment = "seed \(seed), round \(round)"
        // Each is a conversation of its own.
        let own = text.replacing("\"c-1\"", with: "\"c-1-\(round)\"")
        let json = try JSONSerialization.jsonObject(with: Data(own.utf8))
        var left = Int.random(in: 1...3, using: &random)
        let changed = Self.changed(json, &left, &random)
        let data = try JSONSerialization.data(
          withJSONObject: changed, options: [.fragmentsAllowed])
        let file = folder.appending(path: "\(round).json")
        try data.write(to: file)
        let report: ImportReport
        do {
          report = try await store.importFile(at: file, format: format)
        } catch let error as FormatError {
          #expect(error.code == .malformed, place)
          continue
        }
        let again = try await store.importFile(at: file, format: format)
        #expect(
          again.sessions.allSatisfy { $0.added == 0 && $0.revised == 0 },
          "\(place): \(report.sessions), then \(again.sessions), of \(String(decoding: data, as: UTF8.self))"
        )
        guard let one = report.sessions.first, one.new else { continue }
        let session = try await store.session(one.id)
        for target in ["openai-chat", "openai-responses", "anthropic", "gemini", "mcp"] {
          let (bytes, _) = try await session.exported(as: target)
          if target == format, report.sessions.count == 1 { #expect(bytes == [UInt8](data), place) }
          #expect((try? JSON(validating: bytes)) != nil, place)
        }
      }
      #expect(try await store.verify().findings == [], "seed \(seed)")
    }
  }

  /// The value with a few of the values in it replaced, gone, or there twice.
  private static func changed(_ value: Any, _ left: inout Int, _ random: inout SeededGenerator)
    -> Any
  {
    if left > 0, Int.random(in: 0..<12, using: &random) == 0 {
      left -= 1
      return replacement(&random)
    }
    if var object = value as? [String: Any] {
      for key in object.keys.sorted() {
        guard let member = object[key] else { continue }
        if left > 0, Int.random(in: 0..<30, using: &random) == 0 {
          left -= 1
          object[key] = nil
        } else {
          object[key] = changed(member, &left, &random)
        }
      }
      return object
    }
    if let array = value as? [Any] {
      var elements = array.map { changed($0, &left, &random) }
      if left > 0, let last = elements.last, Int.random(in: 0..<10, using: &random) == 0 {
        left -= 1
        elements.append(last)
      }
      return elements
    }
    return value
  }

  private static func replacement(_ random: inout SeededGenerator) -> Any {
    let values: [Any] = [
      NSNull(), 1, -1.5, true, "", "banana", "data:image/png;base64,AAAA", [Any](), [String: Any](),
      ["type": "text"], [["role": "user"]], [1, "a", NSNull()], ["text": ["text": 1]],
      String(repeating: "x", count: 300),
    ]
    return values[Int.random(in: values.indices, using: &random)]
  }
}
