import Foundation
import Keepsake
import Testing

@testable import KeepsakeViewer

@Suite("Text from right to left")
struct DirectionTests {
  @Test func `a list has one direction, and its numbers stand on one side`() async throws {
    let page = try await page(
      saying: """
        هذه هي الوصفة:

        1. اخلط 500 ml من الحليب
        2. 500 ml ماء

           ثم `flour`

        > انتظر

        | أ | ب |
        |---|---|
        | a | 1 |
        """)
    #expect(page.dangers.isEmpty)
    let list = try #require(page.elements.first { $0.name == "ol" && $0.path.contains("article") })
    #expect(list["dir"] == "auto")
    #expect(
      page.elements.filter { $0.name == "li" && $0.path.contains("article") }
        .allSatisfy { $0["dir"] == nil })
    // A paragraph with a direction of its own would hide its text from the list's.
    #expect(page.all("p").filter { $0.path.contains("ol") }.allSatisfy { $0["dir"] == nil })
    #expect(page.all("bdi").filter { $0["dir"] == "ltr" }.map(\.text) == ["500 ml", "500 ml"])
    #expect(page.all("code").first { $0.text == "flour" }?["dir"] == "ltr")
    #expect(page.first("div", class: "table")?["dir"] == "auto")
    #expect(page.all("td").allSatisfy { $0["dir"] == nil })
  }

  @Test func `text that is read from left to right alone needs no directions`() async throws {
    let page = try await page(saying: "Mix 500 ml of milk.\n\n- é 香蕉 🍌\n")
    #expect(page.elements.filter { $0["dir"] != nil && $0.path.contains("article") }.isEmpty)
  }

  @Test(arguments: [
    ("א", true), ("ب", true), ("ﷺ", true), ("ހ", true), ("ࠀ", true), ("é", false), ("香蕉", false),
    ("👩‍👧", false), ("ʼ", false), ("क", false), ("ก", false), ("", false), ("\u{FE0F}", false),
  ])
  func `scripts are told apart by their bytes`(text: String, isSo: Bool) {
    #expect("a\(text)b".hasRightToLeft == isSo)
  }

  @Test func `a quantity is a number with its unit`() {
    func found(_ text: String) -> [String] { text.quantities.map { String(text[$0]) } }
    #expect(found("أضف 500 ml و 1,5kg عند 180 °C و 20%") == ["500 ml", "1,5kg", "180 °C", "20%"])
    #expect(found("في 2026 ثم 12, 500 موز 5") == [])
    #expect(found("7") == [] && found("") == [] && found("7°") == [])
  }
}
