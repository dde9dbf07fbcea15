import Foundation
import KeepsakeArchive
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

@Suite("Archives that are made to do harm")
struct HostileArchiveTests {
  @Test(arguments: [
    "../evil", "a/../../evil", "/evil", "//evil", "..\\evil", "\\evil", "a\\..\\..\\evil",
    "C:\\evil",
    "c:evil", "C:/evil", "../\u{301}evil", "/\u{301}evil", "..\\\u{301}evil", "..", "", ".", "./",
    "a/..",
    String(repeating: "a", count: 256), String(repeating: "ab/", count: 1000) + "evil",
    String(repeating: "a/", count: 32) + "evil",
  ])
  func `E1: a path that leads elsewhere is refused, and the rest is unpacked`(name: String) throws {
    let place = try Place()
    let unpacked = try place.unpack(
      Packed.zip([.init("good", "1"), .init(name, "2"), .init("better", "3")]))
    #expect(try unpacked.contents == ["good": "1", "better": "3"], "\(unpacked.files)")
    #expect(unpacked.refused.count == 1)
    unpacked.remove()
    #expect(try place.left.isEmpty)
  }

  @Test func `E1: a backslash is a separator, and dots inside of names are none`() throws {
    let place = try Place()
    let unpacked = try place.unpack(
      Packed.zip([.init("a\\b.txt", "1"), .init("a/..c", "2"), .init("a/...", "3")]))
    #expect(try unpacked.contents == ["a/b.txt": "1", "a/..c": "2", "a/...": "3"])
  }

  @Test func `E1: links and devices are refused, and nothing is written through them`() throws {
    let place = try Place()
    var link = Packed.Member("folder", place.url.path)
    link.mode = 0o120777
    var device = Packed.Member("device")
    device.mode = 0o020666
    let unpacked = try place.unpack(
      Packed.zip([link, .init("folder/evil", "2"), device, .init("good", "1")]))
    #expect(try unpacked.contents["good"] == "1")
    #expect(unpacked.refusals.contains("folder"))
    #expect(unpacked.refused.first?.reason.contains("link") == true)
    // A file below the name of a refused link is unpacked into a real folder of that name.
    #expect(!FileManager.default.fileExists(atPath: place.url.appending(path: "evil").path))
    for file in unpacked.files { #expect(FileStatus(ofLinkAt: file.path)?.isRegular == true) }
    unpacked.remove()
    #expect(try place.left.isEmpty)
  }

  @Test func `E1: of names that a disk may take for one the first is unpacked`() throws {
    let place = try Place()
    let unpacked = try place.unpack(
      Packed.zip([
        .init("a.json", "1"), .init("a.json", "2"), .init("A.JSON", "3"), .init("./a.json", "4"),
        .init("\u{E9}", "5"), .init("e\u{301}", "6"), .init("a.json/b", "7"), .init("f/g", "8"),
        .init("F", "9"), .init("f/"), .init("F/h", "10"),
      ]))
    #expect(try unpacked.contents == ["a.json": "1", "\u{E9}": "5", "f/g": "8", "F/h": "10"])
    #expect(unpacked.refusals == ["a.json", "A.JSON", "./a.json", "e\u{301}", "a.json/b", "F"])
  }

  @Test func `names that are no UTF-8 are replaced, and who lies about it is refused`() throws {
    let place = try Place()
    var old = Packed.Member([0xFF, 0x61, 0xE9], Array("1".utf8))
    old.flags = 0
    let lying = Packed.Member([0x62, 0xFF], Array("2".utf8))
    let unpacked = try place.unpack(Packed.zip([old, lying]))
    #expect(try unpacked.contents == ["\u{FFFD}a\u{FFFD}": "1"])
    #expect(unpacked.refused.map(\.reason).joined().contains("says that its name is UTF-8"))
  }

  @Test func `what is encrypted is refused as a whole`() throws {
    let place = try Place()
    var secret = Packed.Member("secret", "1234567890123")
    secret.flags = 0x801
    let error = try #require(throws: ArchiveError.self) {
      try place.unpack(Packed.zip([.init("a", "1"), secret]))
    }
    #expect(error.code == .encrypted && error.member == "secret")
    #expect(error.reason.contains("password"))
    #expect(try place.left.isEmpty)
  }

  @Test func `what is compressed by other means is refused`() throws {
    let place = try Place()
    var other = Packed.Member("other", "1")
    other.method = 12
    let unpacked = try place.unpack(Packed.zip([other, .init("a", "1")]))
    #expect(try unpacked.contents == ["a": "1"])
    #expect(unpacked.refused.first?.reason.contains("bzip") == true, "\(unpacked.refused)")
  }

  /// What is refused under limits that a test can reach.
  private func refused(
    _ bytes: [UInt8], _ words: String, _ change: (inout UnpackingLimits) -> Void
  ) throws {
    let place = try Place()
    var limits = UnpackingLimits()
    change(&limits)
    let error = try #require(throws: ArchiveError.self, "\(words)") {
      try place.unpack(bytes, limits: limits)
    }
    #expect(error.code == (words.contains("room") ? .noSpace : .tooLarge), "\(error)")
    #expect(error.reason.contains(words), "\(error)")
    #expect(try place.left.isEmpty)
    #expect(try !place.unpack(bytes).files.isEmpty)
  }

  @Test func `E2: what unpacks to more than it may is refused, and nothing is left`() throws {
    let many = Packed.zip((0..<20).map { .init("\($0)", "12345") })
    let zeros = Packed.zip([.init("a", "1"), .zeros("b")])
    try refused(many, "more than 10 files") { $0.members = 10 }
    try refused(many, "more than 60 bytes") { $0.bytes = 60 }
    // A gzip file does not say beforehand how large its content is.
    for packed in [zeros, Packed.gzippedZeros] {
      try refused(packed, "more than 1000 bytes") { $0.memberBytes = 1000 }
      try refused(packed, "200 times its size") { $0.freeOfRatio = 1000 }
      try refused(packed, "no room") { $0.spare = .max / 2 }
    }
  }

  @Test func `E1: a size that is told twice, and differently, is not believed`() throws {
    var liar = Packed.Member.zeros("b")
    liar.claimedSize = 10
    let place = try Place()
    let unpacked = try place.unpack(Packed.zip([.init("a", "1"), liar]))
    #expect(try unpacked.contents == ["a": "1"])
    #expect(unpacked.refused.first?.reason.contains("contradicts") == true, "\(unpacked.refused)")
  }

  @Test func `E2: what says that it is smaller than it is is not unpacked`() throws {
    var liar = Packed.Member.zeros("b")
    liar.claimedSize = 10
    liar.claimsEverywhere = true
    let place = try Place()
    let unpacked = try place.unpack(Packed.zip([liar, .init("a", "1")]))
    #expect(try unpacked.contents == ["a": "1"])
    #expect(unpacked.refusals == ["b"])
  }
}
