import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("Files of our own formats from a later version, and with ids that are paths")
struct FutureCopyTests {
  /// Changes the version, and then as much else as a later version may have changed.
  static let documents: [@Sendable (String) -> String] = [
    { $0.replacing(#""version":1"#, with: #""version":2"#) },
    { $0.replacing(#""version":1"#, with: #""version":9223372036854775807"#) },
    { $0.replacing(#""version":1,"#, with: #""version":2,"schema":{"version":40},"#) },
    { _ in #"{"keepsake":"transcript","version":2,"sessions":{"a":[1,2]},"blobs":null}"# },
    { _ in #"{"chats":[{"version":1}],"keepsake":"transcript","version":2}"# },
  ]

  @Test(arguments: documents.indices)
  func `E4: a document of a future version is refused, and nothing of it is here`(index: Int)
    async throws
  {
    try await HostileCopyTests.withFile(TranscriptCodec.self) { bytes, empty, folder in
      let future = Self.documents[index](String(decoding: bytes, as: UTF8.self))
      try await Self.expectRefused(Array(future.utf8), by: empty, in: folder)
    }
  }

  /// The same for what a bundle says of itself, which is its first member.
  static let manifests: [@Sendable (String) -> String] = [
    { $0.replacing(#""version":1"#, with: #""version":2"#) },
    { $0.replacing(#""version":1"#, with: #""version":9223372036854775807"#) },
    { $0.replacing(#""version":1,"#, with: #""version":2,"schema":40,"#) },
    { _ in #"{"keepsake":"bundle","version":2,"parts":{"records":"cbor"}}"# },
  ]

  @Test(arguments: manifests.indices, [false, true])
  func `E4: a bundle of a future version is refused, and nothing of it is here`(
    index: Int, hasOtherMembers: Bool
  ) async throws {
    try await HostileCopyTests.withFile(BundleCodec.self) { bytes, empty, folder in
      var members = try HostileCopyTests.members(bytes)
      let manifest = String(decoding: members[0].content, as: UTF8.self)
      members[0].content = Array(Self.manifests[index](manifest).utf8)
      #expect(members[0].content != Array(manifest.utf8))
      var future = HostileCopyTests.bundle(members)
      if hasOtherMembers {
        members[1].name = "records/000001.cbor"
        // A later version may have another end, too.
        future = Array(HostileCopyTests.bundle(members).dropLast(2048))
      }
      try await Self.expectRefused(future, by: empty, in: folder)
    }
  }

  /// Checks that a file is refused because of its version, by a store that is empty and stays so.
  private static func expectRefused(_ bytes: [UInt8], by empty: Store, in folder: URL)
    async throws
  {
    let text = String(decoding: bytes.prefix(4096), as: UTF8.self)
    let version = text.contains(#""version":2"#) ? "2" : "9223372036854775807"
    let heads = try await empty.verify().heads
    let error = await #expect(throws: FormatError.self) {
      try await empty.importing(bytes, in: folder)
    }
    #expect(error?.code == .unsupported)
    #expect(
      error?.message.contains("(version \(version) of the format; this build reads 1)") == true,
      "\(error?.message ?? "nothing was thrown")")
    try await HostileCopyTests.expectNothing(in: empty)
    #expect(try await empty.verify().heads == heads)
    #expect(try LargeBundleTests.incoming(in: empty) == [])
  }

  /// What stands in the place of an id; the last is as long as one.
  static let paths = [
    "../../../escaped", "..", "/tmp/escaped", "../../../../../../../escaped-0123456789",
  ]

  @Test(arguments: paths, ["json", "bundle"])
  func `E4: an id that is a path is refused, and no file is written anywhere`(
    path: String, format: String
  ) async throws {
    let codec = try #require(RoundTripTests.codecs.first { $0.format.name == format })
    try await HostileCopyTests.withFile(codec) { bytes, empty, folder in
      let text = String(decoding: bytes, as: UTF8.self)
      let session = try #require(text.firstMatch(of: /"id":"([0-9a-f-]{36})"/)?.output.1)
      let artifact = try #require(text.firstMatch(of: /sha256:([0-9a-f]{64})/)?.output.1)
      for id in [session, artifact] {
        let altered = try Self.replacing(String(id), with: path, in: bytes, format)
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).count
        await #expect(throws: FormatError.self) {
          try await empty.importing(altered, in: folder, format: format)
        }
        // The file itself is the only one that came.
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(names.count == before + 1)
        #expect(!names.contains { $0.contains("escaped") })
        try await HostileCopyTests.expectNothing(in: empty)
      }
    }
  }

  /// Puts a text in the place of an id wherever it stands; a bundle gets an end that agrees.
  private static func replacing(
    _ id: String, with text: String, in bytes: [UInt8], _ format: String
  ) throws -> [UInt8] {
    func replaced(_ bytes: [UInt8]) -> [UInt8] {
      Array(String(decoding: bytes, as: UTF8.self).replacing(id, with: text).utf8)
    }
    if format == "json" { return replaced(bytes) }
    return HostileCopyTests.bundle(
      try HostileCopyTests.members(bytes).map { member in
        let isText = member.name.hasSuffix(".json")
        return (
          member.name.replacing(id.dropFirst(2), with: text),
          isText ? replaced(member.content) : member.content
        )
      })
  }
}
