import Foundation
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite("The name of the file that is made of an artifact")
struct CopyNameTests {
  private func name(_ fileName: String?, _ declared: MediaType?, _ sniffed: MediaType) -> String {
    CopyName(fileName: fileName, label: "image_1", declared: declared, sniffed: sniffed).text
  }

  @Test(
    arguments: [
      ("notes.md", nil, "text/plain", "notes.md"), ("table.csv", nil, "text/plain", "table.csv"),
      ("main.swift", nil, "text/plain", "main.swift"), ("x.vue", nil, "text/plain", "x.vue"),
      ("data.json", nil, "text/plain", "data.json"), ("page.html", nil, "text/plain", "page.html"),
      ("a.JPEG", nil, "image/jpeg", "a.JPEG"), ("a.jpe", "image/jpeg", "image/jpeg", "a.jpe"),
      ("report.docx", nil, "application/zip", "report.docx"),
      ("x.svg", nil, "application/xml", "x.svg"), ("a.m4a", nil, "video/mp4", "a.m4a"),
      ("a.opus", nil, "audio/ogg", "a.opus"), ("x.usdz", nil, "application/zip", "x.usdz"),
      ("model.bin", nil, "application/octet-stream", "model.bin"),
      ("a.tar.gz", nil, "application/gzip", "a.tar.gz"),
      ("notes.md", "text/plain", "text/plain", "notes.md"),
      ("notes.txt", "text/markdown", "text/plain", "notes.txt"),
    ] as [(String, MediaType?, MediaType, String)])
  func `keeps an extension that fits`(
    fileName: String, declared: MediaType?, sniffed: MediaType, expected: String
  ) {
    #expect(name(fileName, declared, sniffed) == expected)
  }

  @Test(
    arguments: [
      (nil, "text/markdown", "text/plain", "image_1.md"),
      (nil, "text/csv", "text/plain", "image_1.csv"),
      (nil, nil, "image/png", "image_1.png"), (nil, "image/png", "image/png", "image_1.png"),
      (nil, nil, "application/octet-stream", "image_1"),
      (nil, "audio/mpeg", "application/octet-stream", "image_1.mp3"),
      (nil, "text/plain; charset=utf-8", "text/plain", "image_1.txt"),
      ("cup", nil, "image/png", "cup.png"), ("cup.jpg", nil, "image/png", "cup.png"),
      ("cup.exe", "image/png", "image/png", "cup.png"), ("v1.2", nil, "image/png", "v1.2.png"),
      ("Mr. Cup", nil, "image/png", "Mr. Cup.png"), ("cup.", nil, "image/png", "cup.png"),
      // Viewers go by the extension: where the bytes are plainly something else they decide.
      ("cup.png", "image/png", "image/jpeg", "cup.jpg"),
      ("a.png", "image/png", "text/html", "a.html"),
      ("setup.exe", nil, "text/plain", "setup.txt"),
    ] as [(String?, MediaType?, MediaType, String)])
  func `gets the extension of its type where it has none that fits`(
    fileName: String?, declared: MediaType?, sniffed: MediaType, expected: String
  ) {
    #expect(name(fileName, declared, sniffed) == expected)
  }

  @Test(arguments: [
    ("../../etc/passwd", "passwd.png"), ("/etc/passwd", "passwd.png"),
    ("C:\\a\\cup.png", "cup.png"),
    ("..", "image_1.png"), (".", "image_1.png"), ("", "image_1.png"), ("a/..", "image_1.png"),
    ("a/", "image_1.png"), ("   ", "image_1.png"), ("\0", "image_1.png"), ("a\0b.png", "ab.png"),
    (".hidden.png", "hidden.png"), ("-rf.png", "rf.png"), ("--help", "help.png"), (". .x", "x.png"),
    ("cup\n\t.png", "cup.png"), ("a:b*c?\"<>|$`;&.png", "a_b_c_.png"), ("~root", "_root.png"),
    ("CON", "CON_.png"), ("con.png", "con_.png"), ("Lpt1.tar.png", "Lpt1_.tar.png"),
    ("COM¹.png", "COM¹_.png"), ("CONSOLE.png", "CONSOLE.png"), ("aux .png", "aux_.png"),
    // Shown from right to left this would read "photo" and then "gnp.exe".
    ("photo\u{202E}gnp.exe", "photognp.png"), ("a\u{2066}b\u{200B}c\u{FEFF}.png", "abc.png"),
    ("Kätze.png", "Kätze.png"), ("Ka\u{308}tze.png", "Ka\u{308}tze.png"), ("藍色.png", "藍色.png"),
    ("été 🍌.png", "été 🍌.png"), ("a\u{A0}\u{3000}b.png", "a b.png"), ("हिन्दी.png", "हिन्दी.png"),
    ("\u{308}x.png", "x.png"), ("a  b.png", "a b.png"),
    ("(1) a, b+c=d@e.png", "(1) a, b+c=d@e.png"),
    ("name.\u{202E}png", "name.png"), ("x.p/ng", "ng.png"),
  ])
  func `is safe and readable, whatever the declared one is`(fileName: String, expected: String) {
    let made = name(fileName, nil, .png)
    #expect(Array(made.utf8) == Array(expected.utf8), "\(made)")
  }

  @Test(arguments: ["é", "藍", "👨‍👩‍👧‍👦", "a", "a\u{301}\u{302}\u{303}", "x."])
  func `of hundreds of bytes is cut between characters`(piece: String) {
    let made = name(String(repeating: piece, count: 300) + ".png", nil, .png)
    #expect(made.utf8.count <= 200)
    #expect(made.hasSuffix(".png"))
    #expect(!made.unicodeScalars.contains("\u{FFFD}"))
    let long = String(repeating: "a", count: 300) + "." + String(repeating: "b", count: 300)
    #expect(name(long, nil, .octetStream).utf8.count <= 200)
    // One character that is longer than a name may be.
    let tower = "a" + String(repeating: "\u{301}", count: 500)
    #expect(name(tower, nil, .png).utf8.count <= 200)
  }

  @Test func `of random text leads nowhere else`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let odd = Array("./\\\0\n\t -~:*?\"<>|é藍🍌\u{202E}\u{200D}\u{FE0F}a1CON".unicodeScalars)
    for _ in 0..<3000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        text.unicodeScalars.append(odd.randomElement(using: &random) ?? "a")
      }
      let made = name(text, nil, Bool.random(using: &random) ? .png : .octetStream)
      #expect(!made.isEmpty && made.utf8.count <= 200, "seed \(seed): \(text.debugDescription)")
      #expect(
        made.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && !"/\\:*?\"<>|\u{202E}".unicodeScalars.contains($0)
        },
        "seed \(seed): \(text.debugDescription)")
      #expect(
        !". -~".contains(made.first ?? ".") && !". ".contains(made.last ?? "."),
        "seed \(seed): \(text.debugDescription)")
    }
  }

  @Test func `is that of a real file with the bytes`() async throws {
    try await withTemporaryStore { store in
      let session = try await store.createSession()
      let cases: [(String?, MediaType?, [UInt8], String)] = [
        ("notes.md", nil, Array("# Notes".utf8), "notes.md"),
        ("../../../etc/passwd", nil, Array("root".utf8), "passwd.txt"),
        (nil, "text/csv", Array("a".utf8), "file_3.csv"), ("a\0.bin", nil, [0, 1, 2], "a.bin"),
        (String(repeating: "藍", count: 300), nil, [0, 1], String(repeating: "藍", count: 40)),
      ]
      for (fileName, type, bytes, expected) in cases {
        let attached = try await session.attach(
          .init(.bytes(bytes), mediaType: type, fileName: fileName))
        let url = try await attached.fileURL()
        #expect(url.lastPathComponent == expected)
        #expect(url.path.hasPrefix(store.url.path + "/cache/"))
        #expect(try Data(contentsOf: url) == Data(bytes))
      }
    }
  }
}
