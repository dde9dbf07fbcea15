import Foundation
import Keepsake
import Testing

@Suite struct `Media types` {
  @Test func `a declared type is kept to the letter`() {
    let type = MediaType(" Text/HTML ; Charset=UTF-8")
    #expect(type.description == " Text/HTML ; Charset=UTF-8")
    #expect(type.essence == "text/html")
    #expect(type.topLevel == "text")
    #expect(type.fileExtension == "html")
  }

  @Test func `types are equal when their essences are`() {
    #expect(MediaType("IMAGE/PNG") == .png)
    #expect(MediaType("text/plain; charset=utf-8") == .plainText)
    #expect(Set([MediaType("IMAGE/PNG"), .png]).count == 1)
    #expect(MediaType.png != .jpeg)
    // The two spellings of é are one String to Swift, and two types to us.
    #expect(MediaType("image/\u{E9}") != MediaType("image/e\u{301}"))
  }

  @Test(arguments: ["", ";", "/", "png", " ; a=b", "image/", "\u{0}", "🍌/🍌"])
  func `anything may be declared`(text: String) {
    let type = MediaType(text)
    #expect(type.description == text)
    #expect(type.fileExtension == nil)
    #expect(!type.isImage || text == "image/")
  }

  @Test(arguments: [
    ("png", "image/png"), ("JPG", "image/jpeg"), (".jpeg", "image/jpeg"), ("mp3", "audio/mpeg"),
    ("wav", "audio/wav"), ("MD", "text/markdown"), ("heic", "image/heic"),
    ("mov", "video/quicktime"),
  ])
  func `file extensions lead to types`(text: String, essence: String) {
    #expect(MediaType.forFileExtension(text)?.essence == essence)
  }

  @Test func `an unknown extension leads nowhere`() {
    #expect(MediaType.forFileExtension("") == nil)
    #expect(MediaType.forFileExtension("keepsake") == nil)
    #expect(MediaType.octetStream.fileExtension == nil)
  }

  @Test(arguments: [
    ("image/jpg", "jpg"), ("audio/x-wav", "wav"), ("audio/mp3", "mp3"), ("image/apng", "png"),
    ("video/x-matroska", "mkv"), ("application/x-ndjson", "jsonl"),
  ])
  func `aliases have the extension of what they mean`(essence: String, text: String) {
    #expect(MediaType(essence).fileExtension == text)
  }

  @Test func `families`() {
    #expect(MediaType.svg.isImage && !MediaType.svg.isText)
    #expect(MediaType.wav.isAudio && !MediaType.wav.isVideo)
    #expect(MediaType.mp4.isVideo)
    #expect(MediaType.json.isText && MediaType("application/ld+json").isText)
    #expect(MediaType.markdown.isText && !MediaType.pdf.isText)
  }

  @Test func `coded as its text`() throws {
    let type = MediaType("Image/PNG; a=b")
    let data = try JSONEncoder().encode([type])
    #expect(String(decoding: data, as: UTF8.self) == #"["Image\/PNG; a=b"]"#)
    let decoded = try JSONDecoder().decode([MediaType].self, from: data)
    #expect(decoded.map(\.description) == [type.description])
  }
}
