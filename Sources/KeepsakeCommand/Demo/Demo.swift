#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The demonstration, which prints each of its steps.
struct Demo {
  let path: String
  let page: DemoPage

  init(path: String, terminal: Terminal) {
    self.path = path
    page = DemoPage(terminal: terminal)
  }

  func run() async throws -> ExitCode {
    let store = try await CouldNotRun.opening { try await Store(at: URL(filePath: path)) }
    let session: UUID
    let originals: [[UInt8]]
    do {
      (session, originals) = try await record(in: store)
    } catch {
      await store.close()
      throw error
    }
    await store.close()
    // The store is opened for writing, because the files for viewers are made in its cache.
    let again = try await CouldNotRun.opening {
      try await Store(at: URL(filePath: path), options: .init(access: .readWriteExisting))
    }
    do {
      let code = try await reload(session, from: again, originals: originals)
      await again.close()
      return code
    } catch {
      await again.close()
      throw error
    }
  }

  private static let prompt = "give me an image of a banana, ripe and unripe."

  // MARK: - Recording

  private func record(in store: Store) async throws -> (session: UUID, originals: [[UInt8]]) {
    try page.step("Open a store, and begin a session") {
      #"let store = try await Store(at: URL(filePath: "\#(path)"))"#
      #"let session = try await store.createSession(title: "Fruit")"#
    }
    let session = try await store.createSession(title: "Fruit", origin: "demo")
    try page.fact("session", session.id.text)

    try page.step("Record what is said, each entry durable before the next one") {
      #"try await session.append(.prompt("\#(Self.prompt)"))"#
    }
    try await session.append(.instructions("You are a helpful assistant. Draw with GenerateImage."))
    try await session.append(.prompt(Self.prompt))
    let call = Entry.ToolCall(
      tool: "GenerateImage", arguments: #"{"content": "banana", "limit": 2}"#)
    try await session.append(.toolCalls([call]))
    try page.say("The model calls \(call.tool) \(call.arguments)")

    let folder = FileManager.default.temporaryDirectory.appending(
      path: "keepsake-tool-\(UUID().text)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let originals: [[UInt8]]
    do {
      originals = try await runTool(call, in: folder, session)
    } catch {
      // The first error is the one to report, and the system sweeps its temporary folder.
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    try page.step("The temporary folder is swept, as systems do") {
      "rm -r \(folder.path)"
    }
    try FileManager.default.removeItem(at: folder)
    try page.fact(
      "files left", FileManager.default.fileExists(atPath: folder.path) ? "some" : "none")
    return (session.id, originals)
  }

  /// Plays the app's tool, which draws into a temporary folder and attaches the drawings before the model gets an answer.
  private func runTool(_ call: Entry.ToolCall, in folder: URL, _ session: Session) async throws
    -> [[UInt8]]
  {
    try page.step("The tool draws into a temporary folder, and attaches what it drew") {
      "try await session.attach(contentsOf: file, madeBy: call, caption: \"a ripe banana\")"
    }
    var originals: [[UInt8]] = []
    var labels: [String] = []
    for (name, ripeness) in [("ripe", 1.0), ("unripe", 0.15)] {
      let file = folder.appending(path: "\(UUID().uuidString)_\(name).png")
      let image = PNGImage.banana(ripeness: ripeness).data
      try Data(image).write(to: file)
      let attached = try await session.attach(
        contentsOf: file, madeBy: call, caption: "a\(name == "ripe" ? "" : "n") \(name) banana")
      try page.fact(
        attached.label, "\(file.lastPathComponent), \(image.count) bytes")
      originals.append(image)
      labels.append(attached.label)
    }
    let list = labels.map { "\"\($0)\"" }.joined(separator: ", ")
    try await session.append(.toolOutput(for: call, text: #"{"images": [\#(list)]}"#))
    try await session.append(
      .response("Here they are: \(labels.map { "![](\($0))" }.joined(separator: " "))"))
    return originals
  }
}

// MARK: - Getting it back

extension Demo {
  private func reload(_ id: UUID, from store: Store, originals: [[UInt8]]) async throws -> ExitCode
  {
    try page.step(
      "Open the store again: the whole conversation, and every image in its place"
    ) {
      "for try await entry in session.entries { … try await attachment.fileURL() … }"
    }
    let session = try await store.session(id)
    var attachments: [Entry.Attachment] = []
    var entries: [Entry] = []
    for try await entry in session.entries {
      entries.append(entry)
      try page.entry(entry)
      for attachment in entry.attachments {
        attachments.append(attachment)
        try page.card(attachment, file: try await attachment.fileURL())
      }
    }
    var found: [[UInt8]] = []
    for attachment in attachments { found.append([UInt8](try await attachment.data())) }
    let isWhole = found == originals
    try page.verdict(isWhole, isWhole ? "Every byte is as the tool wrote it." : "Bytes differ.")

    try page.step("Who made it, and why?") {
      "let trail = try await store.audit(artifact.id)"
    }
    for attachment in attachments {
      guard let artifact = attachment.artifact else { continue }
      let trail = try await store.audit(artifact.id)
      // A store that existed before may know the artifact already.
      for place in trail.attachments where place.recording == attachment.recording {
        try page.chain(place)
      }
    }

    try page.step("Is everything there, and unaltered?") {
      "keepsake verify --read-data \(path)"
    }
    let report = try await store.verify(VerifyOptions(readData: true)).told
    try VerifyCommand.print(report, page.indented)
    try page.end(path: path)
    if !report.isSound { return .damaged }
    return isWhole ? .done : .failed
  }
}
