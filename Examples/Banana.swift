import Foundation
import Keepsake

/// A tool draws several images a call, and fails half-way in the second one; the folder it drew into is swept; the store
/// is copied to another machine, which shows every image that was drawn, and knows the addresses that the first one gave.
@Sendable func banana(_ scene: Scene) async throws {
  let store = try await scene.store()
  let session = try await store.createSession(title: "Fruit")
  let drawn = try scene.temporaryFolder()
  let folders = try IntakeFolders([drawn])

  let generate: Tool = { arguments, run in
    var labels: [String] = []
    let subject = arguments["content"]?.stringValue ?? "?"
    for number in 1...(arguments["limit"]?.intValue.map(Int.init) ?? 1) {
      if subject.contains("square"), number == 2 { throw OutOfInk() }
      let file = drawn.appending(path: "\(UUID().uuidString).png")
      try picture(of: "\(subject) \(number)").write(to: file)
      // The tool names a path; it is taken in at once, and only from the folder that the app allows.
      var new = Entry.NewAttachment(
        try folders.source(named: file.path), fileName: "\(subject) \(number).png",
        caption: subject, madeBy: .invocation(run.invocation))
      new.reference = file.path
      labels.append(try await run.session.attach(new).label)
    }
    return #"{"images": ["\#(labels.joined(separator: #"", ""#))"]}"#
  }
  let model = ScriptedModel([
    { _ in
      .calls([
        .init(tool: "GenerateImage", arguments: #"{"content": "a banana", "limit": 2}"#),
        .init(tool: "GenerateImage", arguments: #"{"content": "a square banana", "limit": 2}"#),
      ])
    },
    { conversation in
      let images = conversation.flatMap(\.attachments).map { "![](\($0.label))" }
      return .answer("Here they are: \(images.joined(separator: " "))")
    },
  ])
  try await session.append(.instructions("You are a helpful assistant."))
  try await session.converse("bananas, please", with: model, tools: ["GenerateImage": generate])
  let turns = Set(try await session.entries.all().compactMap(\.turn))
  scene.tell("  all of it is one turn: \(turns == [1])")
  let address = try await session.attachments()[0].fileURL()
  await store.close()
  try scene.sweep(drawn)
  try scene.copy("Chats", to: "Another machine")

  let other = try await scene.store("Another machine", options: .readOnly)
  let again = try await other.session(session.id)
  try await scene.tell(again)
  scene.tell("  the gallery of a viewer:")
  for attachment in try await again.attachments() {
    let size = try await Data(contentsOf: attachment.fileURL()).count
    scene.tell("     \(attachment.label): a file of \(size) bytes")
  }
  let mentioned = try await again.resolve("[as before](\(address.absoluteString))")
  scene.tell("  an address from the first machine: \(mentioned.attachment?.label ?? "unknown")")
  await other.close()
}

private struct OutOfInk: Error, CustomStringConvertible {
  var description: String { "out of ink" }
}
