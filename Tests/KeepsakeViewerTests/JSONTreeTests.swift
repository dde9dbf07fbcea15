import Foundation
import Keepsake
import Testing

@testable import KeepsakeViewer

@Suite("JSON as a tree")
struct JSONTreeTests {
  private static func page(_ json: String) throws -> WrittenPage {
    var html = HTML()
    let tree = try #require(JSONTree(JSON(validating: json)))
    html.element("div") { tree.write(to: &$0) }
    return try WrittenPage(text: "<!DOCTYPE html>\n" + String(decoding: html.bytes, as: UTF8.self))
  }

  @Test(arguments: [
    #"{"a":1,"b":[1,2,{"c":null}],"d":{},"e":[],"f":"x\ny \"q\" \\n","f":1.0e+5}"#,
    #"[[[[[[[[[[[[1]]]]]]]]]]]]"#, #"[]"#, #"{}"#, #"[{"a":{"b":{"c":[true,false]}}},"é👩‍👧"]"#,
    #"{"":"","\"":"\\\"","x:y":",]}"}"#, #"[9007199254740993,-0.10,1E400]"#,
  ])
  func `its text is the JSON to the letter`(json: String) throws {
    let page = try Self.page(json)
    let text = try #require(page.elements.first?.text)
    // A colon is followed by a blank, which stands between values.
    let copied = try JSON(validating: text)
    #expect(copied.minified.text == json)
  }

  @Test func `objects and arrays fold, each with the number of its members`() throws {
    let page = try Self.page(#"{"a":{"b":1,"c":[2]},"d":[],"e":[1,2,3]}"#)
    #expect(page.all("summary").map(\.text) == ["\"a\": {", "\"c\": [", "\"e\": ["])
    #expect(page.all("summary").map { $0["data-members"] } == ["2", "1", "3"])
    #expect(page.all("details").allSatisfy { $0["open"] != nil })
    let long = try Self.page("{\"a\":[\((0..<40).map(String.init).joined(separator: ","))]}")
    #expect(long.all("details").allSatisfy { $0["open"] == nil })
  }

  @Test func `a line break in a string is shown as one, and stays an escape in the text`() throws {
    let page = try Self.page(#"{"code":"a\n\\n\tb\n"}"#)
    #expect(page.all("span", class: "e").map(\.text) == ["\\n", "\\n"])
    #expect(page.first("span", class: "s")?.text == #""a\n\\n\tb\n""#)
  }

  @Test func `A12: what nests or repeats without end is no deeper and no longer than a page bears`()
    async throws
  {
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    #expect(try Self.page("[\(deep)]").elements.map(\.path.count).max() ?? 0 < 12)
    let wide = try JSON(validating: "[\(String(repeating: "1,", count: 3000))1]")
    #expect(JSONTree(wide) == nil)
    for text in [deep, wide.text, "{\"a\":" + deep + "}"] {
      try await withSession { session, _ in
        try await session.append([
          .prompt("x"), .toolCalls([.init(id: "c", tool: "T", arguments: text)]),
        ])
        let page = try await session.page()
        #expect(page.dangers.isEmpty)
        #expect(page.elements.map(\.path.count).max() ?? 0 < 64)
        #expect(page.elements.count < 8000)
      }
    }
  }

  @Test func `A8: keys and values are text`() async throws {
    let page = try Self.page(
      #"{"</span><script>alert(1)</script>":"<img src=x onerror=alert(1)>\u202e","'\"":"\u2028"}"#)
    #expect(page.dangers.isEmpty)
    #expect(page.all("script").isEmpty && page.all("img").isEmpty)
  }

  @Test func `a call says in one line what it was told`() throws {
    #expect(Phrase.arguments(#"{"command":"ls -la\n| head"}"#, limit: 80) == "ls -la | head")
    #expect(
      Phrase.arguments(#"{"path":"a.py","limit":2}"#, limit: 80) == "path: a.py limit: 2")
    #expect(Phrase.arguments("[1, 2]", limit: 80) == "[1, 2]")
    #expect(Phrase.arguments("{broken", limit: 80) == "{broken")
  }
}
