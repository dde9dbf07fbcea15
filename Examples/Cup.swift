import Foundation
import Keepsake

/// A router decides, a rewriter words the request, an image creator that no model called draws, and the chat goes on: one
/// session, a lane each. The follow-up records all that the new image was made from.
@Sendable func cup(_ scene: Scene) async throws {
  let store = try await scene.store()
  let session = try await store.createSession(title: "A cup")

  func ask(_ prompt: String, draw wording: String, from inputs: [Entry.Attachment.Input])
    async throws -> Entry.Attachment
  {
    let turn = try await session.openTurn()
    let asked = try await session.append(.prompt(prompt))
    var decision = Entry.event("route: image")
    decision.lane = "router"
    decision.tags = ["image"]
    decision.metadata = .object([("confidence", .string("high")), ("heuristic", .bool(true))])
    try await session.append(decision)
    var rewritten = Entry.response(wording)
    rewritten.lane = "rewriter"
    try await session.append(rewritten)

    // A step of the app: it is never told to a model as a call.
    let step = try await session.begin(
      .step, "ImageCreator", .init(arguments: #"{"prompt": "\#(wording)"}"#, version: "1"))
    var new = Entry.NewAttachment(
      .data(picture(of: wording)), caption: wording, madeBy: .invocation(step))
    new.inputs = inputs + [.entry(asked.position ?? 0)]
    let image = try await session.attach(new)
    try await session.end(step, .finished, output: image.label)

    var answer = Entry.response("Here is your cup: ![](\(image.label))")
    answer.lane = "chat"
    let shown = try await session.append(answer)
    try await session.close(turn, .answered)
    return try await session.bind(image, to: shown.position ?? 0, segment: 0)
  }

  let red = try await ask("a red cup", draw: "a red cup on a table, photo", from: [])
  let made = try unwrap(red.artifact)
  let blue = try await ask(
    "the same cup but blue", draw: "a blue cup on a table, photo", from: [.artifact(made.id)])

  try await scene.tell(session)
  scene.tell("  for the chat, which sees no images:")
  var options = Resumption.Options(lane: "chat")
  options.seesImages = false
  for entry in try await session.resume(options).entries {
    scene.tell("     \(entry.kind.rawValue): \(entry.text)")
  }
  let trail = try await store.audit(unwrap(blue.artifact).id)
  for input in trail.madeFrom {
    scene.tell("  the blue cup was made from \(input.artifact?.description ?? "an entry")")
  }
  let hits = try await store.search("route", in: .init(tag: "image")).hits
  scene.tell("  decisions tagged 'image': \(hits.count)")
  await store.close()
}
