import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

/// Conversations of all shapes with all kinds of faults: each is healed, by changes that are all in the report, and healing
/// it again changes nothing.
@Suite("Random conversations")
struct RandomRescueTests {
  @Test func `are healed, and nothing is changed that is not told`() throws {
    // How many, or which one: a seed that a failure named.
    let asked = ProcessInfo.processInfo.environment["KEEPSAKE_RESCUE"]
    let only = asked.flatMap { UInt64($0) }
    let wanted = only != nil ? 1 : asked == "all" ? 10_000 : 200
    var seeds = SystemRandomNumberGenerator()
    var causes: [RescueCause: Int] = [:]
    var options = RescueOptions()
    options.limits["images"] = 4
    options.limits["many-images"] = 2
    options.limits["request-bytes"] = 60_000
    for _ in 0..<wanted {
      let seed = only ?? seeds.next()
      var chance = Chance(seed: seed)
      let talk = RandomTalk(&chance).talk
      let healed = try Healed(Data(talk.text.utf8), options: options)
      for cause in Set(healed.report.findings.map(\.cause)) { causes[cause, default: 0] += 1 }
      let left = try healed.again(options)
      let unnamed = healed.unnamedChanges
      #expect(healed.report.unhealed.isEmpty, "seed \(seed)")
      #expect(left.isEmpty, "seed \(seed)")
      #expect(unnamed.isEmpty, "seed \(seed)")
      guard healed.report.unhealed.isEmpty, left.isEmpty, unnamed.isEmpty else { return }
    }
    // What is never met is not tried.
    let met = Set(causes.keys)
    let elsewhere: Set<RescueCause> = [
      .folderMoved, .promptTooLong, .thinkingRefused, .imageTooLarge, .headerMissing,
      .ordinalBroken,
    ]
    #expect(Set(RescueCause.allCases).subtracting(elsewhere).subtracting(met).isEmpty)
  }
}

/// Random numbers that are the same for the same seed.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func one(in number: Int) -> Bool { Int.random(in: 0..<number, using: &self) == 0 }
}

/// A session as Claude Code may have left it.
private struct RandomTalk {
  private(set) var talk = Talk()
  private var calls = 0
  private var uuids: [String] = []

  init(_ chance: inout Chance) {
    talk.user(#""Begin.""#)
    for number in 0..<Int.random(in: 1...25, using: &chance) {
      turn(number, &chance)
      if let last = talk.last { uuids.append(last) }
      if chance.one(in: 12) { damage(&chance) }
    }
    // The last line has to be one that can be gone on from.
    talk.user(#""Go on.""#)
  }

  private mutating func turn(_ number: Int, _ chance: inout Chance) {
    let message = "m-\(number)"
    switch Int.random(in: 0..<9, using: &chance) {
    case 0: talk.user(said(&chance))
    case 1: talk.user("[\(block(&chance)),\(block(&chance))]")
    case 2: talk.model(answer(&chance), id: message)
    case 3: talk.add("system", #""subtype":"info","content":"note""#)
    case 4: talk.add("attachment", #""attachment":\#(chance.one(in: 6) ? "7" : #"{"type":"x"}"#)"#)
    case 5:
      // What was given up.
      let place = talk.last
      talk.user(said(&chance), after: uuids.randomElement(using: &chance))
      talk.model(answer(&chance), id: message)
      talk.last = place
    case 6: thinking(message, &chance)
    default: exchange(message, &chance)
    }
  }

  private mutating func thinking(_ message: String, _ chance: inout Chance) {
    let signature = chance.one(in: 4) ? nil : "c2ln"
    talk.model(Talk.thinking(signature, chance.one(in: 6) ? #"\ud83d"# : ""), id: message)
    if !chance.one(in: 4) { talk.model(answer(&chance), id: message) }
  }

  /// Calls that run one after the other or side by side, and their results, some of which are missing.
  private mutating func exchange(_ message: String, _ chance: inout Chance) {
    var called: [(id: String, line: String)] = []
    for _ in 0..<Int.random(in: 1...3, using: &chance) {
      if !chance.one(in: 8) || calls == 0 { calls += 1 }
      let id = "toolu_\(calls)"
      let call =
        chance.one(in: 25)
        ? #"{"type":"tool_use","name":"Bash","input":{}}"# : Talk.call(id)
      called.append((id, talk.model(call, id: message)))
      if chance.one(in: 4) {
        if !chance.one(in: 5) { talk.user("[\(result(id, &chance))]") }
        called.removeLast()
      }
    }
    let isAside = chance.one(in: 2)
    for (id, line) in called where !chance.one(in: 6) {
      let others = chance.one(in: 10) ? "\(Talk.text("First."))," : ""
      talk.user("[\(others)\(result(id, &chance))]", after: isAside ? .some(line) : .none)
    }
    if chance.one(in: 10) { talk.user("[\(Talk.result("toolu_lost"))]") }
    if chance.one(in: 15) { talk.user(#"[{"type":"tool_result","content":"whose?"}]"#) }
    if !chance.one(in: 5) { talk.model(answer(&chance), id: message + "b") }
  }

  private func result(_ id: String, _ chance: inout Chance) -> String {
    switch Int.random(in: 0..<8, using: &chance) {
    case 0: Talk.result(id, "[\(block(&chance)),\(image(&chance))]")
    case 1: Talk.result(id, "[\(image(&chance))]")
    case 2 where chance.one(in: 3): Talk.result(id, #"{"odd": true}"#)
    case 3: Talk.result(id, #""a\u0000b""#)
    case 4 where chance.one(in: 4):
      Talk.result(id, #""\#(String(repeating: "long ", count: 14_000))""#)
    default: Talk.result(id)
    }
  }

  private func said(_ chance: inout Chance) -> String {
    let texts = [#""Hello.""#, #""""#, #"" ""#, #""half \udc00""#, #""\u0001""#, #""fine 😀""#]
    return texts[chance.one(in: 2) ? 0 : Int.random(in: 0..<texts.count, using: &chance)]
  }

  private func answer(_ chance: inout Chance) -> String {
    let server = #"{"type":"server_tool_use","id":"srv","name":"web_search","input":{}}"#
    let found = #"{"type":"web_search_tool_result","tool_use_id":"srv","content":[]}"#
    switch Int.random(in: 0..<10, using: &chance) {
    case 0: return "\(Talk.text("")),\(Talk.text("Yes.")),\(Talk.text(" "))"
    case 1: return "\(Talk.thinking()),\(Talk.text("Yes."))"
    case 2: return "\(found),\(Talk.text("Yes."))"
    case 3: return "\(server),\(Talk.text("Yes."))"
    case 4: return Talk.text("")
    default: return Talk.text("Yes.")
    }
  }

  private func block(_ chance: inout Chance) -> String {
    chance.one(in: 3) ? image(&chance) : Talk.text(chance.one(in: 5) ? "" : "See.")
  }

  private func image(_ chance: inout Chance) -> String {
    let side = [10, 100, 2100, 3000, 9000].randomElement(using: &chance) ?? 10
    let whole = Picture.png(chance.one(in: 3) ? side : 10, 10 + calls)
    return switch Int.random(in: 0..<12, using: &chance) {
    case 0: Talk.image(whole.dropLast(9))
    case 1: Talk.image(Picture.jpeg)
    case 2: Talk.image(Picture.bmp, as: "image/bmp")
    case 3: Talk.image(Array("<html>".utf8))
    case 4: Talk.document(Array("nothing".utf8))
    case 5: Talk.document(Array("%PDF-1.7\n<< /Type /Page >>".utf8))
    default: Talk.image(whole)
    }
  }

  private mutating func damage(_ chance: inout Chance) {
    switch Int.random(in: 0..<6, using: &chance) {
    case 0: talk.raw(#"{"type":"user","uuid":"cut","mess"#)
    case 1: talk.raw(#"{"a":1}{"b":2}"#)
    case 2: talk.raw(String(repeating: "\0", count: 10))
    case 3: talk.last = "nowhere"
    case 4: talk.raw(#"{"type":"summary","summary":"s","leafUuid":"nowhere"}"#)
    default: talk.add("user", #""message":{"role":"user"}"#)
    }
  }
}

extension Talk {
  fileprivate static func image(_ bytes: ArraySlice<UInt8>) -> String { image(Array(bytes)) }
}
