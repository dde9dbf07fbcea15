import KeepsakeFiles
import KeepsakeTestSupport
import Testing

@testable import Keepsake

/// Random values, written, damaged and read. A failure prints the seed that repeats it.
@Suite struct `JSON properties` {
  private static let seed = UInt64.random(in: .min ... .max)

  @Test func `random values round trip`() throws {
    var random = SeededGenerator(seed: Self.seed)
    for round in 0..<2_000 {
      let value = Sample.random(&random, depth: 0)
      var writer = JSONWriter()
      value.write(to: &writer)
      let origin = Comment("seed \(Self.seed), round \(round)")
      let written = try JSON(validating: writer.bytes)
      #expect(written.bytes == writer.bytes, origin)
      #expect(written.minified == written, origin)
      #expect(value.matches(written), origin)

      let spaced = try JSON(validating: value.spelledFreely(&random))
      #expect(value.matches(spaced), origin)
      #expect(spaced.isEquivalent(to: written), origin)
      #expect(spaced.minified.isEquivalent(to: written), origin)
      #expect(try JSON(validating: spaced.minified.bytes).minified == spaced.minified, origin)
    }
  }

  @Test func `values have the same digest where they mean the same, and only there`() throws {
    var random = SeededGenerator(seed: Self.seed)
    func digest(_ bytes: [UInt8]) -> SHA256Digest? {
      var digest = JSONDigest(leavingOut: VolatileMembers())
      return digest.record(in: bytes.span.bytes)
    }
    var seen: [SHA256Digest: JSON] = [:]
    for round in 0..<2_000 {
      let value = Sample.random(&random, depth: 0)
      var writer = JSONWriter()
      value.write(to: &writer)
      let origin = Comment("seed \(Self.seed), round \(round)")
      let found = try #require(digest(writer.bytes), origin)
      #expect(digest(Array(" \n, ".utf8) + value.spelledFreely(&random)) == found, origin)
      let written = try JSON(validating: writer.bytes)
      if let other = seen[found] { #expect(other.isEquivalent(to: written), origin) }
      seen[found] = written
      for index in writer.bytes.indices.shuffled(using: &random).prefix(4) {
        var altered = writer.bytes
        altered[index] ^= 1 << UInt8.random(in: 0..<7, using: &random)
        guard let other = try? JSON(validating: altered) else { continue }
        #expect((digest(altered) == found) == other.isEquivalent(to: written), origin)
      }
    }
  }

  @Test func `every prefix of a document is refused`() throws {
    var random = SeededGenerator(seed: Self.seed)
    for round in 0..<20 {
      var writer = JSONWriter()
      Sample.array((0..<3).map { _ in Sample.random(&random, depth: 1) }).write(to: &writer)
      for length in 0..<writer.bytes.count {
        let prefix = Array(writer.bytes[..<length])
        let error = #expect(
          throws: JSONError.self, "seed \(Self.seed), round \(round), length \(length)"
        ) { try JSON(validating: prefix) }
        // Cut inside a scalar it is not UTF-8, or the string has no end: either way, near the end.
        #expect((error?.offset ?? -1) <= length)
      }
    }
  }

  @Test func `damaged bytes never crash, and skipping and reading agree on them`() throws {
    var random = SeededGenerator(seed: Self.seed)
    let alphabet =
      Array("{}[]\",:\\u0eE+-.tfn \n\u{7F}".utf8) + [0x00, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
    for round in 0..<4_000 {
      var bytes = Sample.random(&random, depth: 0).spelledFreely(&random)
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes[index] = alphabet.randomElement(using: &random) ?? 0
        case 2: bytes.remove(at: index)
        default: bytes.insert(alphabet.randomElement(using: &random) ?? 0, at: index)
        }
      }
      let value = try? JSON(validating: bytes)
      var reader = JSONReader(bytes.span.bytes)
      let isReadable = (try? walk(&reader)) != nil
      #expect(isReadable == (value != nil), "seed \(Self.seed), round \(round), \(bytes)")
      if let value {
        #expect(
          String(validating: bytes, as: UTF8.self) != nil, "seed \(Self.seed), round \(round)")
        #expect(value.isEquivalent(to: value.minified), "seed \(Self.seed), round \(round)")
      }
    }
  }
}

/// A JSON value as a tree, to compare with what was written and read.
private indirect enum Sample {
  case null, bool(Bool), int(Int64), double(Double), string(String), array([Sample])
  case object([(String, Sample)])

  static func random(_ random: inout SeededGenerator, depth: Int) -> Sample {
    switch Int.random(in: 0..<(depth < 5 ? 8 : 5), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2:
      return .int(
        Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
    case 3:
      let double = Double(bitPattern: .random(in: .min ... .max, using: &random))
      return .double(double.isFinite ? double : 0.5)
    case 4: return .string(text(&random))
    case 5:
      return .array(
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          Sample.random(&random, depth: depth + 1)
        })
    default:
      return .object(
        (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          (text(&random), Sample.random(&random, depth: depth + 1))
        })
    }
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<30, using: &random) {
      let limit: UInt32 =
        [0x20, 0x7F, 0x7F, 0x7F, 0x800, 0xFFFF, 0x10FFFF].randomElement(using: &random) ?? 0x7F
      if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) {
        text.append(scalar)
      }
    }
    return String(text)
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .int(let value): writer.int(value)
    case .double(let value):
      do throws(JSONError) { try writer.double(value) } catch { Issue.record(error) }
    case .string(let value): writer.string(value)
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for (key, value) in members {
        writer.key(escaping: key)
        value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// The value with random white space, and with random escapes in its strings.
  func spelledFreely(_ random: inout SeededGenerator) -> [UInt8] {
    func space() -> [UInt8] {
      (0..<max(0, Int.random(in: -3..<3, using: &random))).map { _ in
        [0x20, 0x0A, 0x0D, 0x09].randomElement(using: &random) ?? 0x20
      }
    }
    func spelled(_ text: String) -> [UInt8] {
      var bytes: [UInt8] = [0x22]
      for scalar in text.unicodeScalars {
        if scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
          || Int.random(in: 0..<6, using: &random) == 0
        {
          for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16, uppercase: .random(using: &random))
            bytes += Array("\\u".utf8) + Array(String(repeating: "0", count: 4 - digits.count).utf8)
            bytes += Array(digits.utf8)
          }
        } else {
          bytes += Array(String(scalar).utf8)
        }
      }
      return bytes + [0x22]
    }
    var bytes = space()
    switch self {
    case .string(let value): bytes += spelled(value)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += element.spelledFreely(&random)
      }
      bytes += space() + [UInt8(ascii: "]")]
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, (key, value)) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += space() + spelled(key) + space() + [UInt8(ascii: ":")]
        bytes += value.spelledFreely(&random)
      }
      bytes += space() + [UInt8(ascii: "}")]
    default:
      var writer = JSONWriter()
      write(to: &writer)
      bytes += writer.bytes
    }
    return bytes + space()
  }

  func matches(_ json: JSON) -> Bool {
    switch self {
    case .null: return json.isNull
    case .bool(let value): return json.boolValue == value
    case .int(let value): return json.intValue == value
    case .double(let value): return json.doubleValue?.bitPattern == value.bitPattern
    case .string(let value):
      return json.stringValue.map { $0.utf8.elementsEqual(value.utf8) } ?? false
    case .array(let elements):
      guard let found = json.arrayValue, found.count == elements.count else { return false }
      return zip(elements, found).allSatisfy { $0.matches($1) }
    case .object(let members):
      guard let found = json.members, found.count == members.count else { return false }
      return zip(members, found).allSatisfy { member, found in
        member.0.utf8.elementsEqual(found.key.utf8) && member.1.matches(found.value)
      }
    }
  }
}
