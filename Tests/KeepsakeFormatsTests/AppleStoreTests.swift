import Foundation
import Testing

@testable import Keepsake
@testable import KeepsakeFormats

@Suite("Apple's transcript, through a store")
struct AppleStoreTests {
  @Test(arguments: Fixtures.apple)
  func `what was imported is exported to the byte`(name: String) async throws {
    let bytes = try Fixtures.bytes("apple/\(name)")
    try await withStore { store, folder in
      let report = try await store.importing(bytes, in: folder)
      let session = try await store.session(#require(report.sessions.first).id)
      let (exported, losses) = try await session.exported(as: "apple")
      #expect(exported == bytes)
      #expect(losses.isEmpty)
      let again = try await store.importing(bytes, in: folder)
      #expect(again.sessions.map(\.id) == [session.id])
      #expect(again.sessions.map(\.added) == [0])
      #expect(try await store.verify().isSound)
    }
  }

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: Fixtures.samples.path),
      "The recordings in ../shared/samples are not here."))
  func `recordings come back to the byte`() async throws {
    let place = Fixtures.samples.appending(path: "apple-foundation-models")
    try await withStore { store, _ in
      for file in try FileManager.default.contentsOfDirectory(
        at: place, includingPropertiesForKeys: nil)
      {
        let report = try await store.importFile(at: file)
        let session = try await store.session(#require(report.sessions.first).id)
        #expect(try await session.exported(as: "apple").bytes == [UInt8](Data(contentsOf: file)))
        #expect(report.skipped.isEmpty)
      }
    }
  }

  @Test func `images are artifacts, once, with their labels and makers`() async throws {
    try await withStore { store, folder in
      let report = try await store.importing(Fixtures.bytes("apple/os27.json"), in: folder)
      #expect(report.artifacts.new == 2)
      #expect(report.artifacts.known == 3)
      #expect(report.skipped.count == 2)
      let session = try await store.session(#require(report.sessions.first).id)
      let zoomed = try await session.attachment("image_1")
      #expect(zoomed.mediaType == "image/jpeg")
      let labels = try await session.entries.all().flatMap(\.attachments).map {
        $0.declaredLabel ?? $0.label
      }
      #expect(labels.contains("image_0"))
      #expect(labels.contains("drawn"))
      let output = try await session.entry(at: 4)
      #expect(output.attachments.first?.tool == "Zoom")
      #expect(output.attachments.first?.call == .init(position: 3, ordinal: 0))
    }
  }

  @Test func `a transcript that grew adds what is new, and comes back as it is now`() async throws {
    let bytes = try Fixtures.bytes("apple/os26.json")
    let text = String(decoding: bytes, as: UTF8.self)
    let end = try #require(text.range(of: "\n    ]\n  }\n}", options: .backwards))
    let new = ",\n      " + #"{"id":"N","role":"user","options":{},"contents":[]}"#
    let grown = "\(text[..<end.lowerBound])\(new)\(text[end.lowerBound...])"
    try await withStore { store, folder in
      let first = try await store.importing(bytes, in: folder)
      let second = try await store.importing(Array(grown.utf8), in: folder)
      #expect(second.sessions.map(\.id) == first.sessions.map(\.id))
      #expect(second.sessions.map(\.added) == [1])
      let session = try await store.session(#require(first.sessions.first).id)
      let exported = try await session.exported(as: "apple").bytes
      #expect(String(decoding: exported, as: UTF8.self) == grown)
    }
  }

  @Test func `what is added stands behind what was imported, which stays as it was`() async throws {
    let bytes = try Fixtures.bytes("apple/os27.json")
    try await withStore { store, folder in
      let report = try await store.importing(bytes, in: folder)
      let session = try await store.session(#require(report.sessions.first).id)
      try await session.append(.event("the app was updated"))
      try await session.append(.prompt("and now?"))
      try await session.append(.response("nothing"))
      let (exported, losses) = try await session.exported(as: "apple")
      #expect(losses[.events] == 1)
      let text = String(decoding: exported, as: UTF8.self)
      let old = String(decoding: bytes, as: UTF8.self)
      let end = try #require(old.range(of: #"]},"version""#, options: .backwards))
      #expect(text.hasPrefix(old[..<end.lowerBound]))
      #expect(text.hasSuffix(old[end.lowerBound...]))
      let entries = try AppleCodec.decode(exported)
      #expect(entries.count == 10)
      #expect(entries[8].entry.text == "and now?")
      #expect(entries[9].entry.kind == .response)
    }
  }

  @Test func `what was revised is written anew, and its neighbours as they were`() async throws {
    let bytes = try Fixtures.bytes("apple/os26.json")
    try await withStore { store, folder in
      let report = try await store.importing(bytes, in: folder)
      let session = try await store.session(#require(report.sessions.first).id)
      var entry = try await session.entry(at: 0)
      entry.segments[0] = .text("You draw vegetables.")
      try await session.revise(0, to: entry)
      let (exported, losses) = try await session.exported(as: "apple26")
      #expect(losses.isEmpty)
      let entries = try AppleCodec.decode(exported)
      let before = try AppleCodec.decode(bytes)
      #expect(entries.map(\.entry.text).first == "You draw vegetables.")
      #expect(
        entries.dropFirst().map(\.entry.segments) == before.dropFirst().map(\.entry.segments))
      #expect(entries[0].entry.toolDefinitions == before[0].entry.toolDefinitions)
      // Their spelling is still that of the file.
      let text = String(decoding: exported, as: UTF8.self)
      #expect(text.contains(#"\u00dcbrigens"#))
      #expect(text.contains(#""version" : 1"#))
    }
  }

  @Test func `a file of version 1 becomes one of 1.1 when what is added needs it`() async throws {
    let bytes = try Fixtures.bytes("apple/os26.json")
    try await withStore { store, folder in
      let report = try await store.importing(bytes, in: folder)
      let session = try await store.session(#require(report.sessions.first).id)
      try await session.append(.prompt("thanks"))
      let plain = try await session.exported(as: "apple").bytes
      #expect(try JSON(validating: plain)["version"]?.text == "1")
      try await session.append(.reasoning("they are polite"))
      let (exported, losses) = try await session.exported(as: "apple")
      #expect(losses.isEmpty)
      let document = try JSON(validating: exported)
      #expect(document["version"]?.text == #""1.1""#)
      let entries = document["transcript"]?["entries"]?.arrayValue ?? []
      #expect(entries.count == 8)
      for entry in entries where entry["role"]?.stringValue == "user" {
        #expect(entry["contextOptions"] != nil)
      }
      let old = try await session.exported(as: "apple26")
      #expect(old.losses[.reasoning] == 1)
      #expect(try JSON(validating: old.bytes)["version"]?.text == "1")
    }
  }

  @Test
  func `a version that is not known is given back as it came, and else written as a known one`()
    async throws
  {
    let bytes = Array(
      String(decoding: try Fixtures.bytes("apple/os27.json"), as: UTF8.self)
        .replacing(#""1.1""#, with: #""9.0""#).utf8)
    try await withStore { store, folder in
      let report = try await store.importing(bytes, in: folder)
      let session = try await store.session(#require(report.sessions.first).id)
      #expect(try await session.exported(as: "apple").bytes == bytes)
      let known = try await session.exported(as: "apple27").bytes
      #expect(try JSON(validating: known)["version"]?.text == #""1.1""#)
      let old = try await session.exported(as: "apple26").bytes
      #expect(try JSON(validating: old)["version"]?.text == "1")
    }
  }

  @Test func `a recorded session is written with its images, and read back`() async throws {
    try await withStore { store, folder in
      let session = try await store.createSession(title: "Fruit")
      try await session.append(.instructions("You draw."))
      let image = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 5) })
      try await session.append(
        Entry(.prompt, segments: [.text("what is this?"), .attachment(0)]),
        attaching: [.init(.data(image), mediaType: "image/png", label: "cup")])
      var hidden = Entry.response("3 of 5 requests left")
      hidden.visibility = .person
      try await session.append(hidden)
      try await session.append(.response("a cup"))
      let (exported, losses) = try await session.exported(as: "apple")
      #expect(losses.description == "1 entry for the person alone")
      let entries = try AppleCodec.decode(exported)
      #expect(entries.map(\.entry.kind) == [.instructions, .prompt, .response])
      #expect(entries[1].attachments.map(\.label) == ["cup"])
      #expect(try entries[1].attachments[0].bytes() == [UInt8](image))
      let other = try await store.importing(exported, in: folder)
      #expect(other.artifacts.new == 0)
    }
  }

  @Test func `an image beside a prompt stands behind its contents, and what a tool made nowhere`()
    async throws
  {
    try await withStore { store, folder in
      let session = try await store.createSession()
      try await session.append(.prompt("what is this?"))
      let cup = Data("a cup".utf8)
      try await session.attach(.init(.data(cup), mediaType: .png, label: "cup"), to: 0)
      try await session.attach(.init(.data(Data("a text".utf8)), mediaType: .plainText), to: 0)
      let call = Entry.ToolCall(id: "call-1", tool: "Draw")
      try await session.append(.toolCalls([call]))
      try await session.append(.toolOutput(for: call, text: "done"))
      try await session.attach(.init(.data(cup), mediaType: .png, madeBy: .toolCall(call)), to: 2)
      let (bytes, losses) = try await session.exported(as: "apple")
      #expect(losses.description == "2 attachments beside the content")
      let entries = try AppleCodec.decode(bytes)
      #expect(entries[0].attachments.map(\.label) == ["cup"])
      #expect(try entries[0].attachments[0].bytes() == [UInt8](cup))
      #expect(entries[0].entry.segments.map(\.id) == ["0", "1"])
      #expect(entries[2].attachments.isEmpty)
      // Version 1 has no images, and nobody counted what a model is not given.
      #expect(try await session.exported(as: "apple26").losses[.loose] == 3)
      let fitted = try await session.exported(
        as: "apple", options: .init(resumption: .init(budget: .tokens(100))))
      #expect(fitted.losses[.loose] == 3)
    }
  }

  @Test func `a file is written whole or not at all, and replaced only when asked`() async throws {
    try await withStore { store, folder in
      let session = try await store.createSession()
      try await session.append(.prompt("hi"))
      let place = folder.appending(path: "out.json")
      try await session.export(as: "apple", to: place)
      let first = try Data(contentsOf: place)
      #expect(try AppleCodec.decode([UInt8](first)).count == 1)
      let error = try await #require(throws: FormatError.self) {
        try await session.export(as: "apple", to: place)
      }
      #expect(error.code == .exists)
      try await session.append(.response("ho"))
      try await session.export(as: "apple", to: place, replacing: true)
      #expect(try AppleCodec.decode([UInt8](Data(contentsOf: place))).count == 2)
      let nowhere = try await #require(throws: FormatError.self) {
        try await session.export(as: "apple", to: folder.appending(path: "no/out.json"))
      }
      #expect(nowhere.code == .notFound)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(names) == ["Chats.keepsake", "out.json"])
    }
  }

  @Test func `a file whose ids another conversation has too becomes a session of its own`()
    async throws
  {
    let form = #"{"transcript":{"entries":[{"id":"1","role":"ROLE","contents":[]}]}}"#
    try await withStore { store, folder in
      for role in ["user", "response", "future"] {
        let bytes = Array(form.replacing("ROLE", with: role).utf8)
        let report = try await store.importing(bytes, in: folder)
        #expect(report.sessions.map(\.new) == [true], "\(role)")
      }
      #expect(try await store.sessions().sessions.count == 3)
    }
  }

  @Test func `a damaged file leaves nothing behind`() async throws {
    try await withStore { store, folder in
      let bytes = try Fixtures.bytes("apple/os27.json")
      await #expect(throws: FormatError.self) {
        try await store.importing(Array(bytes.dropLast(20)), in: folder)
      }
      #expect(try await store.sessions().sessions.isEmpty)
      #expect(try await store.verify().isSound)
    }
  }

  @Test func `random transcripts are imported and exported to the byte`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    try await withStore { store, folder in
      for round in 0..<60 {
        var transcript = RandomTranscript(seed: seed &+ UInt64(round))
        let bytes = transcript.bytes()
        let name = "seed \(seed &+ UInt64(round))"
        let report = try await store.importing(bytes, in: folder, format: "apple")
        let id = try #require(report.sessions.first?.id, "\(name)")
        let exported = try await store.session(id).exported(as: "apple").bytes
        if report.sessions.first?.new == true { #expect(exported == bytes, "\(name)") }
      }
      #expect(try await store.verify().isSound, "seed \(seed)")
    }
  }
}
