import KeepsakeFiles
import Testing

@testable import Keepsake

@Suite("What tells a record from others")
struct RecordIdentityTests {
  private func digest(_ record: String, _ volatile: VolatileMember...) -> SHA256Digest {
    var identity = RecordIdentity.json(leavingOut: volatile)
    let found = identity.digest(ofRecordIn: Array(record.utf8))
    #expect(identity.digest(ofRecordIn: Array(record.utf8)) == found)
    return found
  }

  @Test(arguments: [
    (#"{"a":1,"b":"x/y"}"#, #", { "b" : "x\/\u0079", "a" : 1.0 }"#),
    (#"[1e2,-0]"#, #"[100,0]"#), (#""\u00fc""#, "\"\u{FC}\""),
    (#"{"a":{"c":[],"b":{}}}"#, #"{"a":{"b":{},"c":[]}}"#),
  ])
  func `is not how it is spelled`(one: String, other: String) {
    #expect(digest(one) == digest(other))
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":1}"#, #"{"a":2}"#), (#"[1,2]"#, #"[2,1]"#),
    (#"[[1],2]"#, #"[[1,2]]"#), (#"{"a":null}"#, "{}"), (#"{"a":"b"}"#, #"{"b":"a"}"#),
    (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#), ("\"\u{FC}\"", "\"u\u{308}\""),
    (#"{"ab":"c"}"#, #"{"a":"bc"}"#), ("[]", "{}"), ("true", "false"), (#""""#, "null"),
  ])
  func `is what it says`(one: String, other: String) {
    #expect(digest(one) != digest(other))
  }

  @Test func `is not what its codec declares volatile, and nothing more is left out`() {
    let assets = VolatileMember("assets")
    #expect(digest(#"{"a":1,"assets":["x"]}"#, assets) == digest(#"{"a":1}"#, assets))
    #expect(
      digest(#"{"a":{"assets":1}}"#, assets) != digest(#"{"a":{}}"#, assets), "it stands deeper")
    let nested = VolatileMember("content", "*", "cache")
    #expect(
      digest(#"{"content":[{"cache":1,"x":2},{"x":3}]}"#, nested)
        == digest(#"{"content":[{"x":2},{"x":3,"cache":[]}]}"#, nested))
    let id = VolatileMember("id", where: "role", is: "tool")
    #expect(digest(#"{"id":"1","role":"tool"}"#, id) == digest(#"{"role":"tool","id":"2"}"#, id))
    #expect(digest(#"{"id":"1","role":"user"}"#, id) != digest(#"{"id":"2","role":"user"}"#, id))
    #expect(
      digest(#"{"id":"1","role":["tool"]}"#, id) != digest(#"{"id":"2","role":["tool"]}"#, id))
  }

  @Test func `is found in linear time, however deep and wide a record is`() {
    let deep = String(repeating: #"{"a":1,"b":["#, count: 500)
    let wide = (0..<5_000).map { #""k\#($0 &* 7919 % 5_000)":\#($0)"# }.joined(separator: ",")
    let clock = ContinuousClock()
    func cost(_ text: String) -> Double {
      let bytes = Array(text.utf8)
      var identity = RecordIdentity.json()
      let spent = clock.measure { _ = identity.digest(ofRecordIn: bytes) }
      return Double(spent.components.attoseconds) / 1e18 + Double(spent.components.seconds)
    }
    let long = "x" + String(repeating: "y", count: 300_000)
    let nested = deep + #""\#(long)""# + String(repeating: "]}", count: 500)
    let flat = #"["\#(long)"]"#
    // Tests beside this one take the processors away. The shortest of several attempts has lost the least.
    let attempts = (0..<15).map { _ in (cost(nested), cost(flat)) }
    let least = (attempts.map(\.0).min() ?? 0, attempts.map(\.1).min() ?? 1)
    // If each level cost the length of what it holds, it would be 500 times as much.
    #expect(least.0 < least.1 * 20, "\(least)")
    let members = wide.split(separator: ",").reversed().joined(separator: ",")
    #expect(digest("{\(wide)}") == digest("{\(members)}"))
  }

  @Test func `is its bytes where it is no JSON, without the white space around them`() {
    #expect(digest("no json\n") == digest(" no json"))
    #expect(digest("no json") != digest("no  json"))
    var bytes = RecordIdentity.bytes
    let (one, same, other) = (
      bytes.digest(ofRecordIn: Array("{ }\r\n".utf8)), bytes.digest(ofRecordIn: Array("{ }".utf8)),
      bytes.digest(ofRecordIn: Array("{}".utf8))
    )
    #expect(one == same)
    #expect(one != other)
  }
}
