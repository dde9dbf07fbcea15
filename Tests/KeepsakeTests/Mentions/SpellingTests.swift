import Testing

@testable import Keepsake

@Suite("Spellings of one reference")
struct SpellingTests {
  /// What the tools of a session returned.
  static let attachments: [Entry.Attachment] = [
    .made(1, reference: "/var/folders/9j/T/15FB-1AFF.png"),
    .made(2, reference: "/Users/alice/Pictures/my ripe banana (1).png"),
    .made(3, reference: #"C:\Users\alice\new\tiger.png"#),
    .made(4, reference: "/private/tmp/Grün/Käse.png"),
    .made(5, reference: "https://Files.Example.com/a/cup.png?sig=x1%2F"),
    .made(6, reference: "file-AbC123xyz"),
    .made(7, label: "image_10", reference: "file:///var/tmp/藍色.png"),
    .made(8, label: "photo", file: "holiday.jpeg"),
    .made(9, declared: "att_0", file: "R&D plan.pdf"),
  ]

  typealias Row = (text: String, spelling: String, number: Int64, match: Mention.Match)

  static let path = "/var/folders/9j/T/15FB-1AFF.png"
  static let url = "file:///var/folders/9j/T/15FB-1AFF.png"
  static let spaced = "/Users/alice/Pictures/my ripe banana (1).png"
  static let encoded = "/Users/alice/Pictures/my%20ripe%20banana%20%281%29.png"

  static let table: [Row] = [
    (path, path, 1, .reference),
    ("![](\(path))", path, 1, .reference),
    ("[Banana](\(path))", path, 1, .reference),
    ("[Banana](\(path) \"A title\")", path, 1, .reference),
    ("[Banana](<\(path)>)", path, 1, .reference),
    ("<\(url)>", url, 1, .path),
    ("See \(url).", url, 1, .path),
    ("file://localhost\(path)", "file://localhost\(path)", 1, .path),
    ("FILE://\(path)", "FILE://\(path)", 1, .path),
    ("file:\(path)", "file:\(path)", 1, .path),
    ("sandbox:\(path)", "sandbox:\(path)", 1, .path),
    ("It is at /private\(path)!", "/private\(path)", 1, .path),
    ("file:///private\(path)", "file:///private\(path)", 1, .path),
    ("\"\(path)\"", path, 1, .reference),
    ("'\(path)'", path, 1, .reference),
    ("`\(path)`", path, 1, .reference),
    ("“\(path)”", path, 1, .reference),
    ("«\(path)»", path, 1, .reference),
    ("(\(path))", path, 1, .reference),
    ("[\(path)]", path, 1, .reference),
    ("at \(path), and", path, 1, .reference),
    ("at \(path): look", path, 1, .reference),
    ("at \(path); look", path, 1, .reference),
    ("at \(path)?", path, 1, .reference),
    ("Saved to:\(path)", path, 1, .reference),
    ("{\"images\": [\"\(path)\"]}", path, 1, .reference),
    (#"["\/var\/folders\/9j\/T\/15FB-1AFF.png"]"#, path, 1, .reference),
    (
      #"It said "\/var\/folders\/9j\/T\/15FB-1AFF.png"."#,
      #"\/var\/folders\/9j\/T\/15FB-1AFF.png"#, 1, .path
    ),
    (#"<img src="\#(path)" alt="x">"#, path, 1, .reference),
    ("<img src='\(url)'/>", url, 1, .path),
    (
      "/var/folders/9j/\u{200B}T/15FB-1AFF.png", "/var/folders/9j/\u{200B}T/15FB-1AFF.png", 1, .path
    ),
    ("/var/folders//9j/./T/15FB-1AFF.png", "/var/folders//9j/./T/15FB-1AFF.png", 1, .path),
    ("15FB-1AFF.png", "15FB-1AFF.png", 1, .name),
    ("![](15FB-1AFF.png)", "15FB-1AFF.png", 1, .name),
    ("![](./15FB-1AFF.png)", "./15FB-1AFF.png", 1, .name),
    ("T/15FB-1AFF.png", "T/15FB-1AFF.png", 1, .name),
    ("\(url)?v=2#top", "\(url)?v=2#top", 1, .path),
    ("保存先は\(path)です", path, 1, .reference),
    ("image_1", "image_1", 1, .label),
    ("Look at image_1.", "image_1", 1, .label),
    ("![a banana](image_1)", "image_1", 1, .label),
    (#"{"images": ["image_1"]}"#, "image_1", 1, .label),
    (#"See image\_1 here"#, #"image\_1"#, 1, .label),
    ("これはimage_1です", "image_1", 1, .label),
    ("image_1's colour", "image_1", 1, .label),
    (spaced, spaced, 2, .reference),
    ("![](\(spaced))", spaced, 2, .reference),
    ("![](<\(spaced)>)", spaced, 2, .reference),
    ("![](file://\(encoded))", "file://\(encoded)", 2, .path),
    (
      "[x](file:///Users/alice/Pictures/my%2520ripe%2520banana%2520(1).png)",
      "file:///Users/alice/Pictures/my%2520ripe%2520banana%2520(1).png", 2, .path
    ),
    ("~/Pictures/my ripe banana (1).png", "~/Pictures/my ripe banana (1).png", 2, .path),
    ("It is my ripe banana (1).png.", "my ripe banana (1).png", 2, .name),
    ("my%20ripe%20banana%20(1).png", "my%20ripe%20banana%20(1).png", 2, .name),
    (#"C:\Users\alice\new\tiger.png"#, #"C:\Users\alice\new\tiger.png"#, 3, .reference),
    (#"["C:\\Users\\alice\\new\\tiger.png"]"#, #"C:\Users\alice\new\tiger.png"#, 3, .reference),
    ("C:/Users/alice/new/tiger.png", "C:/Users/alice/new/tiger.png", 3, .path),
    ("file:///c:/Users/alice/new/tiger.png", "file:///c:/Users/alice/new/tiger.png", 3, .path),
    ("tiger.png", "tiger.png", 3, .name),
    ("/tmp/Grün/Käse.png", "/tmp/Grün/Käse.png", 4, .path),
    ("/tmp/Gru\u{308}n/Ka\u{308}se.png", "/tmp/Gru\u{308}n/Ka\u{308}se.png", 4, .path),
    ("file:///tmp/Gr%C3%BCn/Ka%CC%88se.png", "file:///tmp/Gr%C3%BCn/Ka%CC%88se.png", 4, .path),
    (#"["\/tmp\/Gr\u00fcn\/K\u00e4se.png"]"#, "/tmp/Grün/Käse.png", 4, .path),
    (
      "https://Files.Example.com/a/cup.png?sig=x1%2F",
      "https://Files.Example.com/a/cup.png?sig=x1%2F", 5, .reference
    ),
    ("HTTPS://files.example.com/a/cup.png", "HTTPS://files.example.com/a/cup.png", 5, .path),
    ("The file is file-AbC123xyz.", "file-AbC123xyz", 6, .reference),
    ("/var/tmp/藍色.png", "/var/tmp/藍色.png", 7, .path),
    ("file:///var/tmp/%E8%97%8D%E8%89%B2.png", "file:///var/tmp/%E8%97%8D%E8%89%B2.png", 7, .path),
    ("image_10", "image_10", 7, .label),
    ("photo", "photo", 8, .label),
    ("![](photo)", "photo", 8, .label),
    ("look at `photo` again", "photo", 8, .label),
    ("holiday.jpeg", "holiday.jpeg", 8, .name),
    ("att_0", "att_0", 9, .label),
    (#"<a href="R&amp;D plan.pdf">"#, "R&amp;D plan.pdf", 9, .name),
  ]

  @Test(arguments: table.indices)
  func `each spelling means what was spelled, and no other`(_ index: Int) {
    let row = Self.table[index]
    let mentions = MentionIndex(Self.attachments).mentions(in: .response(row.text))
    #expect(mentions.count == 1, "\(row.text)")
    #expect(mentions.first?.resolution.attachment?.recording == row.number, "\(row.text)")
    #expect(mentions.first?.resolution.match == row.match, "\(row.text)")
    #expect(mentions.first?.spelling == row.spelling)
    guard case .text(0, let range) = mentions.first?.place else {
      Issue.record("it stands nowhere")
      return
    }
    let raw = String(decoding: Array(row.text.utf8)[range], as: UTF8.self)
    // What JSON escapes is longer in the text than in its string.
    #expect(raw == row.spelling || row.text.hasPrefix("["))
  }

  @Test(arguments: table.indices)
  func `one string resolves as it does inside of a text`(_ index: Int) {
    let row = Self.table[index]
    let resolution = MentionIndex(Self.attachments).resolve(row.spelling)
    #expect(resolution.attachment?.recording == row.number, "\(row.spelling)")
  }

  /// What comes near to a name, and is something else.
  static let others = [
    "image_100", "image_11", "myimage_1", "image_1.png", "my-image_1", "image_1-large", "image_1/x",
    "https://example.com/image_1", "/tmp/15FB-1AFF.png", "green-15FB-1AFF.png", "15FB-1AFF.png.bak",
    "15FB-1AFF.png2", "x/var/folders/9j/T/15FB-1AFF.png", "green%2015FB-1AFF.png",
    "https://evil.example/var/folders/9j/T/15FB-1AFF.png", "a photo of it", "Photo",
    "/tmp/Grun/Kase.png", "/tmp/grün/käse.png", "D:/Users/alice/new/tiger.png", "/new/tiger.png",
    "/tmp/green tiger.png", "青藍色.png", "other.example.com/a/cup.png", "15fb-1aff.png",
    "/var/folders/9j/T/../T/15FB-1AFF.png", "file-AbC123xyzz", "images/15FB-1AFF.png",
  ]

  @Test(arguments: others)
  func `what only comes near to a name is not taken for it`(_ text: String) {
    let index = MentionIndex(Self.attachments)
    #expect(index.mentions(in: .response(text)).isEmpty)
    #expect(index.resolve(text) == .unknown)
  }

  @Test func `two in one line are two, in their order`() {
    let text = "![](\(Self.path)) and (image_10), [cup](cup.png)"
    let found = MentionIndex(Self.attachments).mentions(in: .response(text))
    #expect(found.map { $0.resolution.attachment?.recording } == [1, 7, 5])
  }
}
