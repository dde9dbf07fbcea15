import KeepsakeFiles
import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Files of our own formats that are not as they should be")
struct HostileCopyTests {
  /// A small store, its session as a file, and an empty store to take it into.
  static func withFile(
    _ codec: any CollectionCodec.Type,
    _ body: (_ bytes: [UInt8], _ empty: Store, _ folder: URL) async throws -> Void
  ) async throws {
    try await withStore { store, folder in
      let session = try await store.createSession(title: "One", tags: ["x"])
      try await session.append(.prompt("one"))
      try await session.attach(
        .init(.data(Data("some bytes".utf8)), caption: "c", madeBy: .user), to: 0)
      try await session.append(.response("two"))
      try await session.revise(1, to: .response("another"))
      let fork = try await session.fork(before: 1)
      try await fork.append(.response("fork"))
      let bytes = try await codec.bytes(of: [session, fork])
      let empty = try await Store(at: folder.appending(path: "Empty.keepsake"))
      do { try await body(bytes, empty, folder) } catch {
        await empty.close()
        throw error
      }
      await empty.close()
    }
  }

  /// Checks that nothing of a file is in a store.
  static func expectNothing(
    in store: Store, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let report = try await store.verify(.init(readData: true))
    #expect(report.findings.filter { $0.severity != .harmless } == [], sourceLocation: location)
    #expect(report.counts.sessions == 0, sourceLocation: location)
    #expect(report.counts.artifacts == 0, sourceLocation: location)
  }

  @Test func `a bundle with any bit flipped is refused`() async throws {
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      var random = SeededGenerator(seed: 7)
      for _ in 0..<150 {
        var altered = bytes
        let index = Int.random(in: bytes.indices, using: &random)
        altered[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        await #expect(throws: FormatError.self, "byte \(index)") {
          try await empty.importing(altered, in: folder, format: "bundle")
        }
      }
      try await Self.expectNothing(in: empty)
    }
  }

  @Test
  func `a document with any byte altered is refused, or says the same of what the chain covers`()
    async throws
  {
    try await Self.withFile(TranscriptCodec.self) { bytes, empty, folder in
      var random = SeededGenerator(seed: 8)
      _ = try await empty.importing(bytes, in: folder)
      let heads = try await empty.verify().heads
      for session in try await empty.allSessions() { try await empty.deleteSession(session.id) }
      var taken = 0
      for _ in 0..<150 {
        var altered = bytes
        let index = Int.random(in: bytes.indices, using: &random)
        altered[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        do {
          _ = try await empty.importing(altered, in: folder, format: "json")
        } catch is FormatError { continue } catch is KeepsakeError { continue }
        taken += 1
        #expect(try await empty.verify(.init(readData: true)).heads == heads, "byte \(index)")
        for session in try await empty.allSessions().reversed() {
          try await empty.deleteSession(session.id)
        }
      }
      // A title, a tag or white space may be another.
      #expect(taken < 60)
      try await empty.sweep(olderThan: .zero)
      try await Self.expectNothing(in: empty)
    }
  }

  @Test func `a bundle that was cut off is refused, wherever`() async throws {
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      var ends = stride(from: 0, to: bytes.count, by: 512).map { $0 }
      ends += [1, 300, 511, 513, bytes.count / 2, bytes.count - 1, bytes.count - 700]
      for end in ends {
        await #expect(throws: FormatError.self, "\(end) bytes") {
          try await empty.importing(Array(bytes[..<end]), in: folder, format: "bundle")
        }
      }
      let longer = await #expect(throws: FormatError.self) {
        try await empty.importing(bytes + [0], in: folder)
      }
      #expect(longer?.message.contains("something follows its end") == true)
      try await Self.expectNothing(in: empty)
    }
  }

  @Test func `a document that was cut off is refused, wherever`() async throws {
    try await Self.withFile(TranscriptCodec.self) { bytes, empty, folder in
      for end in stride(from: 0, to: bytes.count - 2, by: 97) {
        await #expect(throws: FormatError.self, "\(end) bytes") {
          try await empty.importing(Array(bytes[..<end]), in: folder, format: "json")
        }
      }
      try await Self.expectNothing(in: empty)
    }
  }

  /// What stands in a document, what is put there instead, and what is said then.
  static let alterations: [(old: String, new: String, said: String)] = [
    (#""version":1"#, #""version":2"#, "newer Keepsake"),
    (#""version":1,"#, #""version":1,"future":[],"#, "'future'"),
    (#""kind":"prompt""#, #""kind":"sermon""#, "'instructions' or 'prompt'"),
    (#""kind":"prompt""#, #""kind":"response""#, "entry 0 of session"),
    (#""kind":"prompt""#, #""kind":"prompt","kind":"prompt""#, "twice"),
    (#""kind":"prompt""#, #""kind":"prompt","__proto__":1"#, "'__proto__'"),
    (#""text":"one""#, #""text":"two""#, "entry 0 of session"),
    (#""text":"two""#, #""text":"one""#, "revision 1 of entry 1 of session"),
    (#""position":0,"#, #""position":1,"#, "entry"),
    (#""position":0,"#, #""position":16777216,"#, "'position'"),
    (#""position":0,"#, #""position":-1,"#, "'position'"),
    (#""position":0,"#, #""position":0.5,"#, "can't be read"),
    (#""position":0,"#, #""position":"0","#, "'position'"),
    (#""changes":4"#, #""changes":3"#, "session"),
    (#""changes":4"#, #""changes":5"#, "session"),
    (#""recordings":1"#, #""recordings":99999999999999"#, "99999999999999"),
    (#""recording":1"#, #""recording":0"#, "'recording'"),
    (#""artifact":"sha256:"#, #""artifact":"../../"#, "artifact"),
    (#""data":"c29t"#, #""data":"c29u"#, "were altered"),
    (#""data":"c29t"#, #""data":"c2\/t"#, "not base64"),
    (#""size":10"#, #""size":11"#, "not base64 of the length"),
    (#""size":10"#, #""size":9223372036854775807"#, "no size that can be"),
    (#""data":"#, #""file":"../secret","datum":"#, "'datum'"),
    (#""operation":"append""#, #""operation":"revise""#, "session"),
  ]

  @Test(arguments: alterations.indices)
  func `a document that says something else is refused, and the error says what`(index: Int)
    async throws
  {
    let alteration = Self.alterations[index]
    try await Self.withFile(TranscriptCodec.self) { bytes, empty, folder in
      let text = String(decoding: bytes, as: UTF8.self)
      let range = try #require(text.range(of: alteration.old), "\(alteration.old)")
      let altered = text.replacingCharacters(in: range, with: alteration.new)
      let error = await #expect(throws: FormatError.self) {
        try await empty.importing(Array(altered.utf8), in: folder)
      }
      #expect(
        error?.message.contains(alteration.said) == true,
        "\(error?.message ?? "nothing was thrown")")
      #expect(
        alteration.said == "newer Keepsake"
          || error?.message.contains("Nothing was taken over") == true)
      try await Self.expectNothing(in: empty)
    }
  }

  /// The members of a bundle.
  static func members(_ bytes: [UInt8]) throws -> [(name: String, content: [UInt8])] {
    var members: [(String, [UInt8])] = []
    var offset = 0
    while let header = TarHeader(Array(bytes[offset..<(offset + 512)])) {
      let start = offset + 512
      members.append((header.name, Array(bytes[start..<(start + Int(header.size))])))
      offset = start + Int(header.size) + TarHeader.padding(after: header.size)
      if header.name == BundleName.end { break }
    }
    return members
  }

  /// A bundle of members, with an end that agrees.
  static func bundle(_ members: [(name: String, content: [UInt8])]) -> [UInt8] {
    var bytes: [UInt8] = []
    for member in members where member.name != BundleName.end {
      let size = Int64(member.content.count)
      bytes += TarHeader(name: member.name, size: size).bytes + member.content
      bytes += [UInt8](repeating: 0, count: TarHeader.padding(after: size))
    }
    let end = BundleEnd(
      members: members.count - 1, digest: SHA256.digest(of: bytes)
    ).json
    bytes += TarHeader(name: BundleName.end, size: Int64(end.count)).bytes + end
    return bytes
      + [UInt8](
        repeating: 0, count: TarHeader.padding(after: Int64(end.count)) + 1024)
  }

  @Test
  func `members that are missing, more, twice or elsewhere are refused though the end agrees`()
    async throws
  {
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      let members = try Self.members(bytes)
      #expect(members.map(\.name.first) == ["k", "r", "a", "e"])
      #expect(Self.bundle(members) == bytes)
      func refused(
        _ said: String, _ change: (inout [(name: String, content: [UInt8])]) -> Void
      ) async throws {
        var changed = members
        change(&changed)
        let error = await #expect(throws: FormatError.self) {
          try await empty.importing(Self.bundle(changed), in: folder, format: "bundle")
        }
        #expect(error?.message.contains(said) == true, "\(error?.message ?? "nothing was thrown")")
      }
      try await refused("artifacts are missing") { $0.remove(at: 2) }
      try await refused("should come at that place") { $0.insert($0[2], at: 2) }
      try await refused("should come at that place") { $0.swapAt(1, 2) }
      try await refused("should come at that place") {
        $0.insert(("../../etc/passwd", [1]), at: 3)
      }
      try await refused("should come at that place") { $0[2].name = "/tmp/x" }
      try await refused("first member") { $0.remove(at: 0) }
      try await refused("promised is not in it") { $0.remove(at: 1) }
      try await refused("were altered") { $0[2].content[0] ^= 1 }
      try await refused("has 9") { $0[2].content.removeLast() }
      try await refused("newer Keepsake") {
        let text = String(decoding: $0[0].content, as: UTF8.self)
        $0[0].content = Array(text.replacing(#""version":1"#, with: #""version":2"#).utf8)
      }
      try await refused("entry 0 of session") {
        let text = String(decoding: $0[1].content, as: UTF8.self)
        $0[1].content = Array(text.replacing(#""text":"one""#, with: #""text":"two""#).utf8)
      }
      try await refused("too deep") {
        $0[1].content = Array(String(repeating: "[", count: 1_000_000).utf8)
      }
      try await Self.expectNothing(in: empty)
    }
  }

  /// Changes to one member of a bundle, and what is said then.
  static let spellings: [(member: Int, old: String, new: String, said: String)] = [
    (0, #""head":""#, #""head":"A"#, "names a session that can't be read"),
    (0, #""state":"shown""#, #""state":"gone""#, "in another way than we do"),
    (0, #""state":"shown","#, #""state":"shown","more":1,"#, "in another way than we do"),
    (0, #""changes":4"#, #""changes":4e0"#, "in another way than we do"),
    (0, #""changes":4"#, #""changes":9223372036854775807"#, "names a session that can't be read"),
    (0, #""size":10"#, #""size":10,"size":10"#, "in another way than we do"),
    (0, #""size":10"#, #""size":1e1"#, "in another way than we do"),
    (0, #""size":10"#, #""size":-1"#, "names an artifact that can't be read"),
    (0, #""size":10"#, #""size":9223372036854775807"#, "names an artifact that can't be read"),
    (0, #""hasBytes":true"#, #""hasBytes":true,"more":[]"#, "does not say what is in it"),
    (0, #""hasBytes":true"#, #""hasBytes":1"#, "does not say what is in it"),
    (0, #""recordings":1"#, #""recordings":1e0"#, "does not say what is in it"),
    (0, #""recordings":1"#, #""recordings":9223372036854775807"#, "does not say what is in it"),
    (0, #""recordings":1"#, #""recordings":-1"#, "does not say what is in it"),
    (0, #""version":1,"#, #""version":1, "#, "does not belong there"),
    (0, #"{"keepsake""#, #"{ "keepsake""#, "does not belong there"),
    (0, #""version""#, #""\u0076ersion""#, "does not belong there"),
    (0, "]}\n", "],\"more\":1}\n", "has a member that is not known here"),
    (0, "]}\n", "]}\n\n", "does not belong there"),
    (0, "]}\n", "]}", "does not belong there"),
    (0, "]}\n", "]}hidden\n", "does not belong there"),
    (1, "\n]\n", "\n]\nhidden", "no list of records as it should be"),
    (1, "\n]\n", "\n]\n\0", "no list of records as it should be"),
    (1, "\n]\n", "\n]", "no list of records as it should be"),
    (1, "\n]\n", "\n ]\n", "no list of records as it should be"),
    (1, "\n]\n", "\n][]\n", "no list of records as it should be"),
    (1, "\n]\n", "\n,{}]\n", "a record is empty"),
    (1, "[\n", "[ \n", "no list of records as it should be"),
    (1, "[\n", "[ ", "no list of records as it should be"),
    (1, "[\n", "\n[\n", "no list of records as it should be"),
    (1, "},\n{", "},\n\n{", "no list of records as it should be"),
    (1, #""head":""#, #""head":"F"#, "'chain.head'"),
    (1, #""kind":"prompt""#, #""kind":"prompt","more":1"#, "'more'"),
    (1, #""kind":"prompt""#, #""kind":"prompt","kind":"prompt""#, "twice"),
  ]

  @Test(arguments: spellings.indices)
  func `E3: a bundle that says a thing in another way, or more than it should, is refused whole`(
    index: Int
  ) async throws {
    let spelling = Self.spellings[index]
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      var members = try Self.members(bytes)
      let text = String(decoding: members[spelling.member].content, as: UTF8.self)
      let range = try #require(text.range(of: spelling.old), "\(spelling.old)")
      members[spelling.member].content = Array(
        text.replacingCharacters(in: range, with: spelling.new).utf8)
      let error = await #expect(throws: FormatError.self) {
        try await empty.importing(Self.bundle(members), in: folder, format: "bundle")
      }
      #expect(
        error?.message.contains(spelling.said) == true, "\(error?.message ?? "nothing was thrown")")
      #expect(error?.message.contains("Nothing was taken over") == true)
      try await Self.expectNothing(in: empty)
    }
  }

  @Test func `E3: digests in capital letters are refused in a bundle`() async throws {
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      let members = try Self.members(bytes)
      let manifest = try JSON(validating: members[0].content)
      let head = try #require(manifest["sessions"]?[0]?["head"]?.stringValue)
      let artifact = try #require(manifest["artifacts"]?[0]?["artifact"]?.stringValue)
      let hex = String(artifact.dropFirst("sha256:".count))
      for (member, digest) in [(0, head), (0, hex), (1, head), (1, hex)] {
        var changed = members
        let text = String(decoding: members[member].content, as: UTF8.self)
        changed[member].content = Array(text.replacing(digest, with: digest.uppercased()).utf8)
        #expect(changed[member].content != members[member].content)
        await #expect(throws: FormatError.self) {
          try await empty.importing(Self.bundle(changed), in: folder, format: "bundle")
        }
      }
      try await Self.expectNothing(in: empty)
    }
  }

  @Test func `E3: the artifacts of a bundle come in the order of their names, each once`()
    async throws
  {
    try await withStore { store, folder in
      let session = try await store.createSession()
      for number in 0..<3 {
        try await session.attach(.init(.data(Data("\(number)".utf8)), madeBy: .user))
      }
      let members = try Self.members(await BundleCodec.bytes(of: [session]))
      #expect(members.count == 6)
      let empty = try await Store(at: folder.appending(path: "Empty.keepsake"))
      let manifest = String(decoding: members[0].content, as: UTF8.self)
      let start = try #require(manifest.range(of: #""artifacts":["#)?.upperBound)
      let list = manifest[start...].dropLast(3).components(separatedBy: "},").map {
        $0.hasSuffix("}") ? String($0) : "\($0)}"
      }
      #expect(list.count == 3)
      for (order, said) in [([1, 0, 2], "not in its place"), ([0, 0, 1, 2], "in it twice")] {
        var changed = members
        let text = manifest[..<start] + order.map { list[$0] }.joined(separator: ",") + "]}\n"
        changed[0].content = Array(text.utf8)
        changed.replaceSubrange(2..<5, with: order.map { members[2 + $0] })
        let error = await #expect(throws: FormatError.self) {
          try await empty.importing(Self.bundle(changed), in: folder, format: "bundle")
        }
        #expect(error?.message.contains(said) == true, "\(error?.message ?? "nothing was thrown")")
      }
      try await Self.expectNothing(in: empty)
      await empty.close()
    }
  }

  static let sizes: [Int64] = [.max, .max - 1, .max - 511, 1 << 62, 1 << 40, 1 << 33, 10_000]

  @Test(arguments: sizes)
  func `E3: a header with a size that cannot be is refused`(size: Int64) async throws {
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      let members = try Self.members(bytes)
      var offset = 0
      for member in members {
        var altered = bytes
        altered.replaceSubrange(
          offset..<(offset + 512), with: TarHeader(name: member.name, size: size).bytes)
        await #expect(throws: FormatError.self, "\(member.name)") {
          try await empty.importing(altered, in: folder, format: "bundle")
        }
        let length = Int64(member.content.count)
        offset += 512 + member.content.count + TarHeader.padding(after: length)
      }
      try await Self.expectNothing(in: empty)
    }
  }

  @Test func `a tar file with a link or a folder in it is refused`() async throws {
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      for flag in ["1", "2", "5", "x", "L"] {
        var altered = bytes
        // The second member's type, with a sum that agrees.
        let size = Int64(try #require(try Self.members(bytes).first).content.count)
        let header = 512 + Int(size) + TarHeader.padding(after: size)
        altered[header + 156] = try #require(flag.utf8.first)
        let block = altered[header..<(header + 512)]
        let sum =
          block.reduce(0) { $0 + Int($1) }
          - block[(header + 148)..<(header + 156)].reduce(0) { $0 + Int($1) } + 8 * 32
        let digits = String(sum, radix: 8)
        let text = String(repeating: "0", count: 6 - digits.count) + digits
        altered.replaceSubrange((header + 148)..<(header + 154), with: Array(text.utf8))
        let error = await #expect(throws: FormatError.self) {
          try await empty.importing(altered, in: folder, format: "bundle")
        }
        #expect(error?.message.contains("not the header of a regular file") == true)
      }
      try await Self.expectNothing(in: empty)
    }
  }

  @Test(arguments: ["../chat.json", "/etc/passwd", "a//b", "./a", "link", ""])
  func `a file beside a document is reached by its name alone`(path: String) async throws {
    try await Self.withFile(TranscriptCodec.self) { bytes, empty, folder in
      let here = folder.appending(path: "here")
      try FileManager.default.createDirectory(at: here, withIntermediateDirectories: true)
      try Data("some bytes".utf8).write(to: folder.appending(path: "chat.json"))
      try FileManager.default.createSymbolicLink(
        at: here.appending(path: "link"), withDestinationURL: folder.appending(path: "chat.json"))
      let text = String(decoding: bytes, as: UTF8.self)
      let start = try #require(text.range(of: #""data":""#))
      let end = try #require(text[start.upperBound...].range(of: #"""#))
      let altered = text.replacingCharacters(
        in: start.lowerBound..<end.upperBound, with: #""file":"\#(path)""#)
      let file = here.appending(path: "document.json")
      try Data(altered.utf8).write(to: file)
      let error = await #expect(throws: FormatError.self) { try await empty.importFile(at: file) }
      #expect(error?.message.contains("file") == true)
      try await Self.expectNothing(in: empty)
    }
  }

  @Test(arguments: ["json", "bundle"])
  func `a session that was deleted and whose forks are here is in the way`(format: String)
    async throws
  {
    let codec = try #require(RoundTripTests.codecs.first { $0.format.name == format })
    try await Self.withFile(codec) { bytes, empty, folder in
      let report = try await empty.importing(bytes, in: folder)
      try await empty.deleteSession(try #require(report.sessions.first).id)
      let error = await #expect(throws: KeepsakeError.self) {
        try await empty.importing(bytes, in: folder)
      }
      #expect(error?.code == .conflict)
      #expect(error?.message.contains("deleted") == true)
      #expect(try await empty.verify().isSound)
    }
  }

  @Test
  func `others write while a file is restored, and nothing of it is seen before all is there`()
    async throws
  {
    try await withStore { store, folder in
      let session = try await store.createSession(title: "Long")
      for start in stride(from: 0, to: 1500, by: 100) {
        try await session.append((start..<(start + 100)).map { .prompt("\($0)") })
        try await session.attach(
          .init(.data(Data("\(start)".utf8)), madeBy: .user), to: start)
      }
      let bytes = try await TranscriptCodec.bytes(of: [session])
      let other = try await Store(at: folder.appending(path: "Other.keepsake"))
      let own = try await other.createSession(title: "Own")
      let file = folder.appending(path: "long.json")
      try Data(bytes).write(to: file)
      var count = 0
      // A busy machine may let all of it pass before somebody else gets a turn: then once more.
      for attempt in 0..<1000 where count == 0 {
        if attempt > 0 { try await other.deleteSession(session.id) }
        let isDone = Locked(false)
        let importing = Task {
          defer { isDone.withLock { $0 = true } }
          return try await other.importFile(at: file)
        }
        while try await other.sessions().sessions.count == 1, !isDone.withLock({ $0 }) {
          count += 1
          try await own.attach(.init(.data(Data("own \(count)".utf8)), madeBy: .user))
          #expect(try await other.verify().findings.allSatisfy { $0.severity == .harmless })
        }
        _ = try await importing.value
      }
      #expect(count > 0)
      #expect(try await other.verify(.init(readData: true)).isSound)
      #expect(try await TranscriptCodec.bytes(of: [other.session(session.id)]) == bytes)
      await other.close()
    }
  }

  @Test func `what is cancelled in the middle leaves nothing`() async throws {
    try await Self.withFile(BundleCodec.self) { bytes, empty, folder in
      let file = folder.appending(path: "a.tar")
      try Data(bytes).write(to: file)
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return try await empty.importFile(at: file)
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      try await Self.expectNothing(in: empty)
    }
  }
}
