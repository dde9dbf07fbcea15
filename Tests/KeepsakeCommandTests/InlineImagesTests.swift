import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

@Suite("Images in a terminal")
struct InlineImagesTests {
  private static let iTerm = ["TERM_PROGRAM": "iTerm.app", "TERM": "xterm-256color"]
  private static let kitty = ["TERM": "xterm-kitty"]

  /// Runs a command on a terminal that can be written over, or in a pipe.
  private func run(
    _ arguments: String..., on fruit: FruitStore, as environment: [String: String],
    isTerminal: Bool = true
  ) async -> CommandRun {
    await CommandRun(
      list: arguments, width: isTerminal ? 80 : nil, height: isTerminal ? 24 : nil,
      environment: environment.merging(["KEEPSAKE_STORE": fruit.path]) { $1 })
  }

  @Test(arguments: [
    iTerm, ["TERM_PROGRAM": "WezTerm"], ["LC_TERMINAL": "iTerm2", "TERM": "xterm"],
  ])
  func `iTerm2 and WezTerm get the exact bytes, and how many characters they may take`(
    environment: [String: String]
  ) async throws {
    let fruit = try await FruitStore()
    let bytes = Data(fruit.png)
    let image =
      "\u{1B}]1337;File=inline=1;size=\(bytes.count);width=2;height=1;preserveAspectRatio=1:\(bytes.base64EncodedString())\u{7}"
    let shown = await run("show", "last", on: fruit, as: environment)
    #expect(shown.output.contains("a ripe banana\n      \(image)\n"))
    #expect(await run("get", "last/image_1", on: fruit, as: environment).output == image + "\n")
  }

  @Test(arguments: [kitty, ["TERM": "xterm-ghostty"], ["KITTY_WINDOW_ID": "1", "TERM": "xterm"]])
  func `Kitty and Ghostty get it in pieces of 4096, and don't answer`(
    environment: [String: String]
  ) async throws {
    let fruit = try await FruitStore()
    let large = PNGImage.banana(ripeness: 1, side: 300).data
    try await fruit.change { store in
      try await store.session(fruit.session).attach(
        .init(.bytes(large), fileName: "\u{1B}\\evil", label: "large"), to: 4)
    }
    let got = await run("get", "last/large", on: fruit, as: environment)
    let pieces = got.output.components(separatedBy: "\u{1B}\\").dropLast()
    #expect(got.output.hasPrefix("\u{1B}_Ga=T,f=100,q=2,c=38,r=19,m=1;"))
    #expect(pieces.count > 1)
    var text = ""
    for (index, piece) in pieces.enumerated() {
      let parts = piece.split(separator: ";", maxSplits: 1)
      #expect(parts[0].hasSuffix(index == pieces.count - 1 ? "m=0" : "m=1"))
      #expect(parts[1].utf8.count <= 4096)
      text += parts[1]
    }
    #expect(Data(base64Encoded: text) == Data(large))
    #expect(!got.output.contains("evil"))
  }

  @Test
  func `never in a pipe, where the terminal is not known, inside of tmux, or when not wanted`()
    async throws
  {
    let fruit = try await FruitStore()
    let piped = await run(
      "show", "last", "--images", "always", on: fruit, as: Self.iTerm, isTerminal: false)
    #expect(!piped.output.contains("\u{1B}"))
    for environment in [
      ["TERM": "xterm-256color"], [:], ["TERM": "tmux-256color", "LC_TERMINAL": "iTerm2"],
      ["TERM": "screen", "KITTY_WINDOW_ID": "1"], Self.kitty.merging(["TMUX": "/tmp/x,1,0"]) { $1 },
    ] {
      let shown = await run("show", "last", on: fruit, as: environment)
      #expect(!shown.output.contains("\u{1B}"), "\(environment)")
      #expect(shown.output.contains("▣ image_1  image/png, 16×16"))
    }
    let unwanted = await run("show", "last", "--images", "never", on: fruit, as: Self.iTerm)
    #expect(!unwanted.output.contains("\u{1B}"))
    #expect(
      await run("get", "last/image_1", "--images", "never", on: fruit, as: Self.iTerm).code
        == .failed)
    #expect(
      await run("show", "last", "--images", "maybe", on: fruit, as: Self.iTerm).code == .usage)
  }

  @Test func `whoever knows better can have them always, and tmux is told to pass them on`()
    async throws
  {
    let fruit = try await FruitStore()
    let plain = await run(
      "show", "last", "--images", "always", on: fruit, as: ["TERM": "xterm-256color"])
    #expect(plain.output.contains("\u{1B}]1337;File="))
    let inside = await run(
      "show", "last", "--images", "always", on: fruit,
      as: ["TERM": "tmux-256color", "TMUX": "x", "LC_TERMINAL": "iTerm2"])
    #expect(inside.output.contains("\u{1B}Ptmux;\u{1B}\u{1B}]1337;File="))
  }

  @Test func `only a raster image of a bounded size is shown, whatever is declared`() async throws {
    let fruit = try await FruitStore()
    // The head of an image of 30,000 × 30,000 pixels.
    var bomb = PNGImage.banana(ripeness: 1, side: 16).data
    bomb.replaceSubrange(16..<24, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30])
    try await fruit.change { store in
      let session = try await store.createSession(title: "odd")
      try await session.append(
        .prompt("look"),
        attaching: [
          .init(.data(Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)), mediaType: .png),
          .init(.data(Data("\u{1B}]52;c;eA==\u{7} no image".utf8)), mediaType: .png),
          .init(.bytes(bomb), mediaType: .png),
        ])
    }
    for environment in [Self.iTerm, Self.kitty] {
      let shown = await run("show", "last", "--images", "always", on: fruit, as: environment)
      #expect(shown.code == .done)
      #expect(!shown.output.contains("\u{1B}"))
      #expect(shown.output.contains("30000×30000"))
    }
  }
}
