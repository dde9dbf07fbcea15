import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("keepsake audit --graph")
struct AuditGraphTests {
  @Test func `arrows lead from the session by prompt and call to the artifact, and on`()
    async throws
  {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let session = try await store.session(fruit.session)
      var smaller = Entry.NewAttachment(.bytes([1, 2, 3]), label: "thumb", madeBy: .step("resize"))
      smaller.inputs = [.artifact(fruit.image)]
      try await session.attach(smaller)
    }
    for name in ["last/image_1", "last"] {
      let dot = await fruit.run("audit", name, "--graph", "dot")
      #expect(dot.code == .done, "\(dot.error)")
      #expect(dot.output.hasPrefix("digraph audit {\n"))
      let mermaid = await fruit.run("audit", name, "--graph", "mermaid")
      #expect(mermaid.output.hasPrefix("flowchart LR\n"))
      for text in ["image_1", "thumb", "GenerateImage", "resize", "a ripe banana, please"] {
        #expect(dot.output.contains(text), "\(name) \(text)")
        #expect(mermaid.output.contains(text.replacing("_", with: "#95;")), "\(name) \(text)")
      }
      #expect(dot.output.contains(#"[label="explicit"]"#))
      #expect(dot.output.contains(#"[label="made from"]"#))
      #expect(mermaid.output.contains(#"-->|"made from"| "#))
    }
    let graph = await fruit.run("audit", "last/image_1", "--graph", "dot").output
      .split(separator: "\n").map(String.init)
    // session → prompt → call → attachment → artifact
    let path = ["n0 -> n1;", "n1 -> n2;", "n2 -> n3 ", "n3 -> n4;"]
    for arrow in path { #expect(graph.contains { $0.contains(arrow) }, "\(arrow)") }
  }

  @Test func `a file is drawn as its artifact, and a tool's list or JSON is no graph`() async throws
  {
    let fruit = try await FruitStore()
    let file = fruit.folder.path("x.png")
    try Data(fruit.png).write(to: URL(filePath: file))
    #expect(await fruit.run("audit", file, "--graph", "mermaid").output.contains("artifact"))
    #expect(await fruit.run("audit", "--tool", "x", "--graph", "dot").code == .usage)
    #expect(await fruit.run("audit", "last", "--graph", "dot", "--json").code == .usage)
    #expect(await fruit.run("audit", "last", "--graph", "svg").code == .usage)
  }

  @Test(arguments: [
    #"x"]; evil [label="y"#, #"x\"#, #"x\" -> n1; \""#, "</td><script>alert(1)</script>",
    "a|b{c}[d]",
    "`x`", "%%{init: {}}%%", "end", "\n}\n", "click n0 href \"javascript:1\"", "&quot;", "#quot;",
    "<br/>", "#\u{1B}[2J\u{202E}", "; subgraph x",
  ])
  func `no name gets out of its label`(name: String) async throws {
    let folder = try TemporaryFolder()
    let store = try await Store(at: URL(filePath: folder.path("Chats.keepsake")))
    let session = try await store.createSession(title: name)
    try await session.append(.prompt(name))
    let call = Entry.ToolCall(id: name, tool: name, arguments: name)
    try await session.append(.toolCalls([call]))
    try await session.attach(Data([1, 2]), madeBy: call, caption: name)
    await store.close()
    func lines(_ language: String) async -> [Substring] {
      let run = await CommandRun(
        list: ["audit", "last", "--graph", language],
        environment: ["KEEPSAKE_STORE": folder.path("Chats.keepsake")])
      #expect(run.code == .done, "\(run.error)")
      #expect(!run.output.contains("\u{1B}"))
      return run.output.split(separator: "\n")
    }
    let dot = await lines("dot")
    #expect(
      dot.prefix(3) == ["digraph audit {", "  rankdir=LR;", "  node [fontname=\"sans-serif\"];"])
    #expect(dot.last == "}")
    let point = #/  n[0-9]+ \[shape=[a-z]+ label="(?:[^"\\]|\\["\\n])*"\];/#
    let arrow = #/  n[0-9]+ -> n[0-9]+(?: \[label="[a-z ]+"\])?;/#
    for line in dot.dropFirst(3).dropLast() {
      #expect(line.wholeMatch(of: point) != nil || line.wholeMatch(of: arrow) != nil, "\(line)")
    }
    let mermaid = await lines("mermaid")
    let box =
      #/  n[0-9]+(?:\[\[|>|\{\{|\[|\(\[)"(?:[A-Za-z0-9 .,\/-]|<br\/>|#[0-9]+;|[^\x00-\x7F])*"(?:\]\]|\]|\}\}|\]\))/#
    let edge = #/  n[0-9]+ -->(?:\|"[a-z ]+"\|)? n[0-9]+/#
    for line in mermaid.dropFirst() {
      #expect(line.wholeMatch(of: box) != nil || line.wholeMatch(of: edge) != nil, "\(line)")
    }
  }
}
