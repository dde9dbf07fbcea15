import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

/// Every way out of a store hashes what it hands out.
@Suite struct `An export of an artifact whose row lies` {
  private static let ways: [(format: String, artifacts: ExportOptions.Artifacts)] =
    Format.all.filter(\.canWrite).flatMap { format in
      format.artifacts.filter { $0 != .none }.map { (format.name, $0) }
    }

  @Test(arguments: [Int64(0), -1, 1], [100, 300_000])
  func `fails, or says so, in every format`(size: Int64, count: Int) async throws {
    try await withTemporaryFolder { folder in
      let place = folder.appending(path: "Chats.keepsake")
      var store = try await Store(at: place)
      let id = try await store.createSession(title: "Claimed").id
      let bytes = Data(Picture.png(9, 9, bytes: count))
      try await store.session(id).append(
        .prompt("look"), attaching: [.init(.data(bytes), mediaType: "image/png", label: "it")])
      // A format that has nothing but calls has it as well.
      let call = Entry.ToolCall(id: "c", tool: "Look", arguments: "{}")
      try await store.session(id).append(.toolCalls([call]))
      var output = Entry.toolOutput(for: call, text: "seen")
      output.segments.append(.init(.attachment(0)))
      try await store.session(id).append(
        output, attaching: [.init(.data(bytes), mediaType: "image/png", madeBy: .toolCall(call))])
      await store.close()
      let change = try ProgramRun(
        "sqlite3", place.appending(path: "store.sqlite").path,
        "UPDATE artifact SET size = \(size)")
      #expect(change.exitCode == 0, "\(change.errors)")
      store = try await Store(at: place)
      let session = try await store.session(id)
      #expect(Self.ways.count > 5)
      for way in Self.ways {
        let file = folder.appending(path: "\(way.format)-\(way.artifacts)")
        do {
          try await session.export(
            as: way.format, to: file, options: .init(artifacts: way.artifacts))
          let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
          #expect(text.contains("were altered"), "\(way)")
        } catch let error as KeepsakeError {
          let isRight = error.code == .artifactDamaged || error.code == .damaged
          #expect(isRight, "\(way): \(error)")
          #expect(!FileManager.default.fileExists(atPath: file.path))
        }
      }
      await store.close()
    }
  }

  @Test func `D7: files have safe names, each its own, and what they were called is kept`()
    async throws
  {
    let names = [
      "a\0b.png", "a\nb.png", String(repeating: "x", count: 255), "🍌.png", ".", "..", "CON",
      "con.png", "LPT1.txt", "A.PNG", "a.png", "caf\u{E9}.png", "cafe\u{301}.png", "../../x", " ",
      "end ", "end.", "", "\u{202E}gnp.exe", "-rf", "~", "C:\\x", "NUL", "COM¹",
    ]
    try await withStore { store, folder in
      let session = try await store.createSession()
      for (number, name) in names.enumerated() {
        try await session.attach(
          .init(.data(Data("number \(number)".utf8)), fileName: name, madeBy: .user))
      }
      let kept = try await session.attachments().map { Array(($0.fileName ?? "").utf8) }
      #expect(kept == names.map { Array($0.utf8) })
      try await session.export(as: "markdown", to: folder.appending(path: "chat.md"))
      let beside = folder.appending(path: "chat.artifacts")
      let files = try FileManager.default.contentsOfDirectory(atPath: beside.path)
      #expect(files.count == names.count)
      #expect(Set(files.map { $0.lowercased() }).count == names.count)
      let contents = try files.map { file in
        #expect(file.utf8.count < 255 && !file.hasPrefix(".") && !file.hasPrefix("-"), "\(file)")
        #expect(file.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
        return String(decoding: try Data(contentsOf: beside.appending(path: file)), as: UTF8.self)
      }
      #expect(Set(contents) == Set(names.indices.map { "number \($0)" }))
    }
  }

  @Test func `H1: in Markdown, nothing that steers a terminal stands as it was`() async throws {
    let text =
      "a\u{1B}[2J \u{1B}]0;t\u{7} \u{9B}6n \u{7F}\u{8}\u{0} end\r\nnext\u{1B}c\n\n```\ncode \u{1B}[1m\u{9D}\n```\n\n# head \u{1B}[3m"
    try await withStore { store, folder in
      let session = try await store.createSession(title: text, origin: text, tags: [text])
      var prompt = Entry.prompt(text)
      prompt.author = text
      prompt.lane = text
      let call = Entry.ToolCall(id: "c", tool: text, arguments: text)
      var answer = Entry(
        .response,
        segments: [
          .text(text), .structure(.object([(text, .string(text))]), schema: text),
          .opaque(.string(text), type: text),
        ])
      answer.model = text
      try await session.append([prompt, .toolCalls([call]), .toolOutput(for: call, text: text)])
      try await session.append(
        answer,
        attaching: [.init(.bytes([1]), mediaType: MediaType(text), fileName: text, caption: text)])
      try await session.append([.reasoning(text), .event(text), .instructions(text)])
      let missing = Entry.NewAttachment.awaited(.missing, reference: text, madeBy: .step(text))
      try await session.attach(missing)
      let file = folder.appending(path: "chat.md")
      for artifacts in [ExportOptions.Artifacts.files, .inline, .none] {
        try await session.export(
          as: "markdown", to: file, options: .init(artifacts: artifacts), replacing: true)
        let document = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let steering = document.unicodeScalars.filter {
          $0.value < 0x20 && $0 != "\n" && $0 != "\t" || 0x7F..<0xA0 ~= $0.value
        }
        #expect(steering.isEmpty, "\(artifacts): \(steering)")
        #expect(document.contains("\u{241B}[2J") && document.contains("U+009B6n"))
      }
    }
  }
}
