import KeepsakeFiles
import Foundation
import Testing

@testable import Keepsake

@Suite("Documentation/Digest.md")
struct DigestExampleTests {
  private static let created: Int64 = 1_767_225_600_000_000

  private static func document() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(
      contentsOf: root.appending(path: "Documentation/Digest.md"), encoding: .utf8)
  }

  /// What the code that writes a store computes for the example.
  private static func example() throws -> [(name: String, digest: SHA256Digest)] {
    let session = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let fork = try #require(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF"))
    var chain = Chain(beginning: session.bytes, created: created)
    var found = [("session beginning", chain.head)]

    let later = Date(microseconds: created + 1_000_000)
    let entry = Entry(
      .prompt, segments: [.text("Hello")],
      id: try #require(UUID(uuidString: "FFEEDDCC-BBAA-9988-7766-554433221100")), created: later)
    let prepared = try PreparedEntry(entry, salt: try salt(0..<16))
    found.append(("body digest", prepared.bodyDigest))
    let digest = EntryColumns(entry, turn: 1, call: nil).digest(bodyDigest: prepared.bodyDigest)
    found.append(("entry digest", digest))
    chain.add(.append, position: 0, digest: digest)
    found.append(("head after change 1", chain.head))
    let forked = chain

    var attachment = AttachmentRow(
      session: 1, created: created + 1_000_000, state: .present, direction: .given, maker: .user,
      basis: .explicit, label: "photo", recorded: 2)
    attachment.entry = EntryID(session: 1, position: 0)
    attachment.segment = 1
    attachment.turn = 1
    attachment.mediaType = "image/png"
    attachment.fileName = "photo.png"
    let attached = attachment.digest(
      artifact: SHA256.digest(of: Array("pixels".utf8)), invocation: nil,
      salt: try salt(16..<32))
    found.append(("attachment digest", attached))
    chain.add(.attach, position: 2, digest: attached)
    found.append(("head after change 2", chain.head))
    found.append(
      (
        "fork beginning",
        Chain(forking: forked, at: 1, into: fork.bytes, created: created + 2_000_000).head
      ))
    return found
  }

  @Test func `the example's digests are what the code computes`() throws {
    let lines = try Self.document().split(separator: "\n").map { line in
      line.split(separator: " ").joined(separator: " ")
    }
    for (name, digest) in try Self.example() {
      #expect(lines.contains("\(name) \(digest.hex)"), "\(name) is \(digest.hex)")
    }
  }

  @Test func `the example's bytes are the entry's`() throws {
    let document = try Self.document()
    let start = try #require(document.range(of: "6b65657073616b652e656e7472792e31"))
    let end = try #require(document[start.lowerBound...].range(of: "```"))
    var bytes: [UInt8] = []
    for line in document[start.lowerBound..<end.lowerBound].split(separator: "\n") {
      let hex = try #require(line.split(separator: " ").first)
      for place in stride(from: 0, to: hex.count, by: 2) {
        bytes.append(try #require(UInt8(hex.dropFirst(place).prefix(2), radix: 16)))
      }
    }
    let digest = try #require(Self.example().first { $0.name == "entry digest" }).digest
    #expect(SHA256.digest(of: bytes) == digest)
  }

  @Test func `its operations and enumerations are those of the code`() throws {
    let document = try Self.document()
    let operations: [(String, Chain.Operation)] = [
      ("append", .append), ("attach", .attach), ("revise", .revise), ("redact", .redact),
      ("erase", .erase), ("fork", .fork), ("bind", .bind), ("invoke", .invoke),
      ("conclude", .conclude), ("settle", .settle), ("adopt", .adopt), ("caption", .caption),
      ("eraseEntry", .eraseEntry),
    ]
    for (name, operation) in operations {
      #expect(document.contains("| \(name) | \(operation.rawValue) |"), "\(name)")
    }
    func expect<Code: CaseIterable & RawRepresentable>(_ columns: String, _ code: Code.Type)
    where Code.RawValue == String {
      let cases = code.allCases.map(\.rawValue).joined(separator: ", ")
      #expect(document.contains("| \(columns) | \(cases) |"), "\(columns): \(cases)")
    }
    expect("`entry.kind`", Entry.Kind.self)
    expect("`entry.status`", Entry.Status.self)
    expect("`entry.visibility`", Entry.Visibility.self)
    expect("`attachment.state`", Entry.Attachment.State.self)
    expect("`attachment.direction`", Entry.Attachment.Direction.self)
    expect("`attachment.maker`", Entry.Attachment.Maker.self)
    expect("`attachment.basis`, `invocation.basis`", Entry.Attachment.Basis.self)
    expect("`invocation.maker`", Invocation.Maker.self)
    expect("`invocation.outcome`", Invocation.Outcome.self)
  }

  private static func salt(_ bytes: Range<UInt8>) throws -> Salt {
    let salt = Salt([UInt8](bytes).span.bytes)
    return try #require(salt)
  }
}
