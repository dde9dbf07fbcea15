import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// What keeps sessions of Claude Code from going on: each is refused before it is healed, and is not afterwards.
@Suite("A session of Claude Code that can't go on")
struct ClaudeCodeRescueTests {
  /// Heals a session, and checks of what comes out that nothing is wrong with it any more, and that all that was not named
  /// is as it was.
  @discardableResult
  private func heal(
    _ talk: Talk, _ causes: Set<RescueCause>, options: RescueOptions = .init(),
    location: SourceLocation = #_sourceLocation
  ) throws -> (report: RescueReport, lines: [String]) {
    let healed = try Healed(Data(talk.text.utf8), options: options)
    #expect(Set(healed.report.findings.map(\.cause)) == causes, sourceLocation: location)
    #expect(healed.report.unhealed.isEmpty, sourceLocation: location)
    #expect(try healed.again(options).isEmpty, sourceLocation: location)
    #expect(healed.unnamedChanges.isEmpty, sourceLocation: location)
    return (healed.report, healed.lines)
  }

  /// A question, a call, its result and an answer.
  private var sound: Talk {
    var talk = Talk()
    talk.user(#""List it.""#)
    talk.model(Talk.thinking(), id: "m-1")
    talk.model(Talk.call("toolu_1"), id: "m-1")
    talk.user("[\(Talk.result("toolu_1"))]")
    talk.model(Talk.text("There is a banana."), id: "m-2")
    return talk
  }

  @Test func `is none where nothing is wrong`() throws {
    let (report, lines) = try heal(sound, [])
    #expect(report.changes.isEmpty)
    #expect(report.before == report.after)
    #expect(lines.count == sound.lines.count)
  }

  // MARK: Calls and results

  @Test func `has a call without a result`() throws {
    var talk = sound
    talk.user(#""And there?""#)
    talk.model(Talk.call("toolu_2"), id: "m-3")
    talk.user(#""Well?""#)
    talk.model(Talk.text("It hangs."), id: "m-4")
    let (report, lines) = try heal(talk, [.callUnanswered])
    #expect(report.changes.map(\.edit) == [.answer, .relink])
    let added = try #require(lines.first { $0.contains(RescueText.unanswered) })
    #expect(added.contains(#""parentUuid":"u-7""#))
    #expect(added.contains(#""tool_use_id":"toolu_2""#))
    #expect(added.contains(#""cwd":"/home/alice/fruit""#))
  }

  @Test func `has such a call at its very end, or several`() throws {
    var talk = sound
    talk.user(#""And there?""#)
    talk.model([Talk.call("toolu_2"), Talk.call("toolu_3")].joined(separator: ","), id: "m-3")
    let (report, _) = try heal(talk, [.callUnanswered])
    #expect(report.changes.map(\.edit) == [.answer])
  }

  @Test func `is none where calls ran side by side, and their results are branches`() throws {
    var talk = Talk()
    talk.user(#""Both.""#)
    let first = talk.model(Talk.call("toolu_1"), id: "m-1")
    let second = talk.model(Talk.call("toolu_2"), id: "m-1")
    talk.user("[\(Talk.result("toolu_1"))]", after: first)
    talk.user("[\(Talk.result("toolu_2"))]", after: second)
    talk.model(Talk.text("Done."), id: "m-2")
    try heal(talk, [])
  }

  @Test func `is none where a result came before the model had called all`() throws {
    var talk = Talk()
    talk.user(#""Both.""#)
    talk.model(Talk.call("toolu_1"), id: "m-1")
    talk.user("[\(Talk.result("toolu_1"))]")
    talk.model(Talk.call("toolu_2"), id: "m-1")
    talk.user("[\(Talk.result("toolu_2"))]")
    talk.model(Talk.text("Done."), id: "m-2")
    try heal(talk, [])
  }

  @Test func `has a result without a call, and one of the service's own`() throws {
    var talk = sound
    talk.user("[\(Talk.result("toolu_9", #"[{"type":"text","text":"lost"}]"#))]")
    talk.model(
      #"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},{"type":"text","text":"So."}"#,
      id: "m-3")
    let (report, lines) = try heal(talk, [.resultWithoutCall])
    #expect(report.changes.map(\.edit) == [.text, .text])
    #expect(
      lines.contains {
        $0.contains("toolu_9 that is not in this conversation") && $0.contains("lost")
      })
  }

  @Test func `has an id twice`() throws {
    var talk = sound
    talk.model(Talk.call("toolu_1"), id: "m-3")
    talk.user("[\(Talk.result("toolu_1"))]")
    talk.model(Talk.text("Again."), id: "m-4")
    let (report, lines) = try heal(talk, [.idTwice])
    #expect(report.changes.map(\.edit) == [.rename, .rename])
    #expect(lines.count { $0.contains("toolu_1_2") } == 2)
  }

  @Test func `has two results for one call`() throws {
    var talk = Talk()
    talk.user(#""List it.""#)
    talk.model(Talk.call("toolu_1"), id: "m-1")
    talk.user("[\(Talk.result("toolu_1")),\(Talk.result("toolu_1", #""twice""#))]")
    try heal(talk, [.idTwice])
  }

  @Test func `has calls and results without an id`() throws {
    var talk = sound
    talk.model(#"{"type":"tool_use","name":"Bash","input":{}}"#, id: "m-3")
    talk.user(#"[{"type":"tool_result","content":"done"}]"#)
    talk.model(Talk.text("So."), id: "m-4")
    try heal(talk, [.idMissing])
  }

  @Test func `has a result behind other content`() throws {
    var talk = Talk()
    talk.user(#""List it.""#)
    talk.model(Talk.call("toolu_1"), id: "m-1")
    talk.user("[\(Talk.text("Mind.")),\(Talk.result("toolu_1"))]")
    let (_, lines) = try heal(talk, [.resultNotFirst])
    #expect(lines[2].contains("[\(Talk.result("toolu_1")),\(Talk.text("Mind."))]"))
  }

  @Test func `has a result that is neither a text nor a list`() throws {
    var talk = Talk()
    talk.user(#""List it.""#)
    talk.model(Talk.call("toolu_1"), id: "m-1")
    talk.user("[\(Talk.result("toolu_1", #"{"files": 3}"#))]")
    let (_, lines) = try heal(talk, [.lineUnreadable])
    #expect(lines[2].contains(#""content":"{\"files\": 3}""#))
  }

  // MARK: Texts and thinking

  @Test func `has an empty text, alone and beside others`() throws {
    var talk = sound
    talk.user(#"" \n""#)
    talk.model("\(Talk.text("")),\(Talk.text("Yes.")),\(Talk.text("  "))", id: "m-3")
    talk.user("[\(Talk.text(""))]")
    talk.model(Talk.call("toolu_2"), id: "m-4")
    talk.user("[\(Talk.result("toolu_2", "[\(Talk.text(""))]"))]")
    let (_, lines) = try heal(talk, [.textEmpty])
    #expect(lines[5].contains(#""content":"[empty]""#))
    #expect(lines[6].contains("[\(Talk.text("Yes."))]"))
    #expect(lines[7].contains("[\(Talk.text("[empty]"))]"))
  }

  @Test func `has thinking without a signature: all of its turn goes`() throws {
    var talk = sound
    talk.user(#""And there?""#)
    talk.model(Talk.thinking(), id: "m-3")
    talk.model("\(Talk.thinking(nil)),\(Talk.call("toolu_2"))", id: "m-4")
    talk.user("[\(Talk.result("toolu_2"))]")
    talk.model(Talk.text("Nothing."), id: "m-5")
    let (report, lines) = try heal(talk, [.thinkingUnsigned])
    #expect(report.changes.count { $0.edit == .strip } == 2)
    // The other turn keeps its own.
    #expect(lines.count { $0.contains(#""thinking""#) } == 1)
  }

  @Test func `ends a message with thinking`() throws {
    var talk = sound
    talk.user(#""And there?""#)
    talk.model(Talk.text("Let me see."), id: "m-3")
    talk.model(Talk.thinking(), id: "m-3")
    talk.user(#""Go on.""#)
    talk.model(Talk.text("Nothing."), id: "m-4")
    let (report, _) = try heal(talk, [.thinkingLast])
    #expect(report.changes.map(\.edit) == [.strip, .relink])
  }

  @Test func `is none where thinking is signed and not shown`() throws {
    var talk = sound
    talk.model("\(Talk.thinking("c2ln", "")),\(Talk.text("So."))", id: "m-3")
    try heal(talk, [])
  }

  @Test func `had its thinking refused`() throws {
    var talk = sound
    talk.user(#""And there?""#)
    talk.add(
      "assistant",
      #""isApiErrorMessage":true,"message":{"id":"x","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 400 messages.1.content.0: Invalid `signature` in `thinking` block"}]}"#
    )
    let (report, lines) = try heal(talk, [.thinkingRefused])
    #expect(report.complaint?.line == 7)
    #expect(!lines.contains { $0.contains(#""type":"thinking""#) })
    var asked = RescueOptions()
    asked.stripsThinking = true
    try heal(sound, [.thinkingRefused], options: asked)
  }

  // MARK: Images and documents

  private func withImage(_ block: String) -> Talk {
    var talk = Talk()
    talk.user(#""Look.""#)
    talk.model(Talk.call("toolu_1", "Read"), id: "m-1")
    talk.user("[\(Talk.result("toolu_1", "[\(block)]"))]")
    talk.model(Talk.text("I see."), id: "m-2")
    return talk
  }

  @Test(arguments: [
    (RescueCause.imageTooLarge, Talk.image(Picture.png(100, 100, bytes: 4_000_000))),
    (.imageTooWide, Talk.image(Picture.png(2560, 9000))),
    (.imageDamaged, Talk.image(Array("<html><body>Not found</body></html>".utf8))),
    (.imageDamaged, Talk.image(Array(Picture.png(10, 10, bytes: 500).dropLast(40)))),
    (.imageDamaged, Talk.image(Array(Picture.jpeg.dropLast(2)), as: "image/jpeg")),
    (.imageDamaged, Talk.image([])),
    (.imageDamaged, Talk.image([]).replacing(#""data":"""#, with: #""data":"iVBORw0KGg§""#)),
    (.imageType, Talk.image(Picture.bmp, as: "image/bmp")),
    (.documentRefused, Talk.document(Array("%PDF-1.7\ntrailer << /Encrypt 5 0 R >>\n".utf8))),
    (
      .documentRefused,
      Talk.document(
        Array(("%PDF-1.7\n" + String(repeating: "<< /Type /Page >>\n", count: 101)).utf8))
    ),
    (.documentRefused, Talk.document(Array("no document".utf8))),
  ])
  func `has what can't be sent: it becomes its label`(cause: RescueCause, block: String) throws {
    let (report, lines) = try heal(withImage(block), [cause])
    #expect(report.changes.map(\.edit) == [.label])
    #expect(lines[2].contains("_1: "))
  }

  @Test func `has a label that names the bytes and where they are`() throws {
    var options = RescueOptions()
    options.isKept = true
    let png = Picture.png(2560, 9000)
    let (_, lines) = try heal(withImage(Talk.image(png)), [.imageTooWide], options: options)
    let digest = SHA256.digest(of: png).hex
    #expect(lines[2].contains("[image_1: 2560×9000 PNG, \(png.count) B, kept as sha256:\(digest)]"))
  }

  @Test func `has an image under the wrong name: it gets its own`() throws {
    let (report, lines) = try heal(
      withImage(Talk.image(Picture.jpeg, as: "image/png")), [.imageType])
    #expect(report.changes.map(\.edit) == [.retype])
    #expect(lines[2].contains(#""media_type":"image/jpeg","data""#))
    try heal(withImage(Talk.image(Picture.jpeg, as: "image/jpeg")), [])
  }

  @Test func `has many images, some of which are too wide for that`() throws {
    var talk = Talk()
    talk.user(#""Look.""#)
    for number in 0..<24 {
      talk.user("[\(Talk.image(Picture.png(number < 6 ? 2100 + number : 100, 100)))]")
      talk.model(Talk.text("I see."), id: "m-\(number)")
    }
    let (report, lines) = try heal(talk, [.imageTooWideAmongMany])
    // Four images less are few enough; the widest of them go.
    #expect(report.changes.count == 4)
    #expect(lines.count { $0.contains("[image_") } == 4)
    #expect(report.after.images == 20)
    #expect(lines.contains { $0.contains("[image_6: 2105×100 PNG") })
  }

  @Test func `has too many images: the oldest go`() throws {
    var talk = Talk()
    for number in 0..<7 {
      talk.user("[\(Talk.image(Picture.png(10, 10 + number)))]")
      talk.model(Talk.text("I see."), id: "m-\(number)")
    }
    var options = RescueOptions()
    options.limits["images"] = 5
    let (report, lines) = try heal(talk, [.imagesTooMany], options: options)
    #expect(report.changes.count == 2)
    #expect(lines[0].contains("[image_1: 10×10 PNG") && lines[2].contains("[image_2: 10×11 PNG"))
  }

  // MARK: How much it is

  @Test func `is too large for a request: images go first, then long outputs are cut`() throws {
    var talk = withImage(Talk.image(Picture.png(10, 10, bytes: 30_000)))
    talk.user(#""And this?""#)
    talk.model(Talk.call("toolu_2"), id: "m-3")
    talk.user("[\(Talk.result("toolu_2", #""\#(String(repeating: "é", count: 60_000))""#))]")
    var options = RescueOptions()
    options.limits["request-bytes"] = 130_000
    let labelled = try heal(talk, [.requestTooLarge], options: options)
    #expect(labelled.report.changes.map(\.edit) == [.label])
    options.limits["request-bytes"] = 50_000
    let cut = try heal(talk, [.requestTooLarge], options: options)
    #expect(cut.report.changes.map(\.edit) == [.label, .cut])
    #expect(cut.lines.contains { $0.contains("left out here; they stand in line 7") })
    #expect(cut.report.after.bytes < 50_000)
  }

  @Test func `is too large, and nothing can be left out of it`() throws {
    var talk = sound
    for _ in 0..<40 { talk.user(#""\#(String(repeating: "word ", count: 1000))""#) }
    var options = RescueOptions()
    options.limits["request-bytes"] = 50_000
    let healed = try Healed(Data(talk.text.utf8), options: options)
    #expect(healed.report.unhealed.map(\.cause) == [.requestTooLarge])
    #expect(healed.report.changes.isEmpty)
  }

  @Test func `is too long for the model: it begins with a later turn`() throws {
    var talk = Talk()
    for number in 0..<10 {
      talk.user(#""Question \#(number) \#(String(repeating: "word ", count: 600))""#)
      talk.model(Talk.text("Answer."), id: "m-\(number)")
    }
    talk.add(
      "assistant",
      #""isApiErrorMessage":true,"message":{"id":"x","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"Prompt is too long"}]}"#
    )
    var options = RescueOptions()
    options.limits["tokens"] = 5_000
    let (report, _) = try heal(talk, [.promptTooLong], options: options)
    #expect(report.changes.map(\.edit) == [.relink])
    #expect(report.after.sent < report.before.sent)
    #expect(report.after.sent > 2)
  }

  // MARK: Characters

  @Test func `has half a character, and control characters`() throws {
    var talk = sound
    talk.user(#""half \ud83d and whole \ud83d\ude00, not \\ud83d, low \udc00""#)
    talk.model(Talk.call("toolu_2"), id: "m-3")
    talk.user("[\(Talk.result("toolu_2", #""a\u0000b\u0007 \u001b[31mred\t""#))]")
    let (report, lines) = try heal(talk, [.surrogate, .controlCharacter])
    #expect(report.changes.map(\.edit) == [.show, .show, .show, .show])
    #expect(
      lines[5].contains(#"half \#u{FFFD} and whole \ud83d\ude00, not \\ud83d, low \#u{FFFD}""#))
    #expect(lines[7].contains(#"a␀b␇ \u001b[31mred\t"#))
  }

  @Test func `has half a character in thinking, which is never changed`() throws {
    var talk = Talk()
    talk.user(#""Hello.""#)
    talk.model("\(Talk.thinking("c2ln", #"\ud83d"#)),\(Talk.text("Hello."))", id: "m-1")
    let (report, _) = try heal(talk, [.surrogate])
    #expect(report.changes.map(\.edit) == [.strip])
  }

  // MARK: Lines

  @Test func `has damaged lines: they are left out, and what follows them follows what is before`()
    throws
  {
    var talk = sound
    talk.user(#""Go on.""#)
    talk.raw(String(repeating: "\0", count: 40) + #"{"a":1}"#)
    talk.raw(#"{"parentUuid":"u-6","type":"assistant","uuid":"u-7","message":{"con"#)
    talk.model(Talk.text("So."), id: "m-3", after: "u-7")
    talk.raw(#"{"a":1}{"b":2}"#)
    let (report, lines) = try heal(talk, [.lineDamaged, .chainBroken])
    #expect(report.changes.filter { $0.edit == .leaveOut }.map(\.line) == [7, 8, 10])
    #expect(lines.count == 8)
  }

  @Test func `follows nothing, itself, or a line that follows it`() throws {
    for parent in ["u-99", "u-6", "u-7"] {
      var talk = sound
      talk.user(#""Go on.""#, after: parent)
      talk.model(Talk.text("So."), id: "m-3")
      let (report, lines) = try heal(talk, [.chainBroken])
      #expect(report.changes.map(\.edit) == [.relink])
      #expect(lines[5].contains(#""parentUuid":"u-5""#))
    }
  }

  @Test func `is none where the first line follows one of another file`() throws {
    var talk = Talk()
    talk.user(#""Go on.""#, after: "elsewhere")
    talk.model(Talk.text("So."), id: "m-3")
    try heal(talk, [])
  }

  @Test func `has lines that lack what their kind has`() throws {
    var talk = sound
    talk.add("attachment", #""attachment":"lost""#)
    talk.add("user", #""message":{"role":"user"}"#)
    talk.user(#""Go on.""#)
    talk.raw(#"{"type":"summary","summary":"Fruit","leafUuid":"elsewhere"}"#)
    let (report, lines) = try heal(talk, [.lineUnreadable])
    #expect(report.changes.filter { $0.edit == .leaveOut }.map(\.line) == [6, 7, 9])
    #expect(lines[5].contains(#""parentUuid":"u-5""#))
  }

  @Test func `was held in a folder that has moved`() throws {
    var options = RescueOptions()
    options.folder = "/home/alice/orchard"
    let (report, lines) = try heal(sound, [.folderMoved], options: options)
    #expect(report.changes.count == 5)
    #expect(lines.allSatisfy { $0.contains(#""cwd":"/home/alice/orchard""#) })
  }

  // MARK: What is left alone

  @Test func `has branches that were given up: what is wrong there stays`() throws {
    var talk = sound
    talk.model(Talk.call("toolu_8"), id: "m-8", after: "u-1")
    talk.user("[\(Talk.text(""))]", after: "u-1")
    talk.user(#""Go on.""#, after: "u-5")
    talk.model(Talk.text("So."), id: "m-3")
    try heal(talk, [])
  }

  @Test func `gets a new id in every line, and a title that says so`() throws {
    var talk = sound
    talk.raw(#"{"type":"ai-title","aiTitle":"Fruit","sessionId":"\#(Talk.session)"}"#)
    talk.raw(
      #"{"type":"queue-operation","sessionId":"\#(Talk.session)","forkedFrom":{"sessionId":"old"}}"#
    )
    let healed = try Healed(Data(talk.text.utf8))
    let id = healed.id.uuidString.lowercased()
    #expect(healed.written.count == 8)
    #expect(healed.written.allSatisfy { $0.contains(#""sessionId":"\#(id)""#) })
    #expect(healed.written[6].contains(#""forkedFrom":{"sessionId":"old"}"#))
    #expect(
      healed.written.last
        == #"{"type":"custom-title","customTitle":"Fruit (rescued)","sessionId":"\#(id)"}"#)
  }

  @Test func `says which version heals what by itself`() throws {
    var talk = sound
    talk.model(Talk.call("toolu_2"), id: "m-3")
    let report = try heal(talk, [.callUnanswered]).report
    #expect(report.healedByItself?.count == 1)
    #expect(report.healedByItself?.version == "2.1.218")
    #expect(report.version == "2.1.5")
    #expect(RescueReport.isOlder("2.1.99", than: "2.1.218"))
    #expect(!RescueReport.isOlder("2.2", than: "2.1.218"))
  }

  @Test func `is no session that could go on`() throws {
    var talk = Talk()
    talk.raw(
      #"{"parentUuid":null,"isSidechain":true,"agentId":"a","sessionId":"s","type":"user","uuid":"u","message":{"role":"user","content":"Help."}}"#
    )
    #expect(throws: FormatError.self) { try Healed(Data(talk.text.utf8)) }
  }
}
