import Foundation
import Keepsake

/// A dream becomes a prompt, and the prompt a picture, which Gemini spells in four ways. A chain that was cut off half-way
/// goes on where it stopped.
@Sendable func dream(_ scene: Scene) async throws {
  let store = try await scene.store("Dreams")
  for (name, spell) in spellings {
    let session = try await store.createSession(title: name)
    try await session.append(.prompt("I flew over a green sea."))
    try await session.append(.response("wide shot, green sea from above, dawn light"))
    // Here the app was closed: the picture is still to be made.
    let wording = try await session.entries(last: 1)[0].text
    let image = picture(of: wording).base64EncodedString()
    let answer = try JSON(validating: spell(image))
    guard let found = GeminiImage(in: answer) else { continue }
    // Its base64 goes into the artifact alone: the entry holds the rest of the answer.
    let entry = Entry(.response, segments: [.text(found.text), .attachment(0)])
    let new = Entry.NewAttachment(
      .base64(found.base64), mediaType: found.mediaType, caption: wording, madeBy: .response)
    let stored = try await session.append(entry, attaching: [new])
    scene.tell("  \(name): \(scene.card(stored.attachments[0]))")
  }
  let kept = try await store.artifacts().artifacts.count
  scene.tell("  four dreams, one picture: \(kept) artifact")
  await store.close()
}

private let spellings: [(String, @Sendable (String) -> String)] = [
  ("inlineData", { #"{"parts": [{"inlineData": {"mimeType": "image/png", "data": "\#($0)"}}]}"# }),
  (
    "inline_data",
    { #"{"parts": [{"inline_data": {"mime_type": "image/png", "data": "\#($0)"}}]}"# }
  ),
  ("a data URL", { #"{"parts": [{"text": "Look: data:image/png;base64,\#($0)"}]}"# }),
  ("base64 in text", { #"{"parts": [{"text": "\#($0)"}]}"# }),
]

/// The image in an answer of Gemini's, and what is said beside it.
private struct GeminiImage {
  var text = ""
  var base64 = ""
  var mediaType: MediaType?

  init?(in answer: JSON) {
    for part in answer["parts"]?.arrayValue ?? [] {
      if let inline = part["inlineData"] ?? part["inline_data"] {
        base64 = inline["data"]?.stringValue ?? ""
        mediaType = (inline["mimeType"] ?? inline["mime_type"])?.stringValue.map { MediaType($0) }
      } else if let said = part["text"]?.stringValue {
        if let start = said.range(of: "data:image/") {
          text = String(said[..<start.lowerBound])
          base64 = String(said[start.lowerBound...])
        } else if said.count > 200, !said.contains(" ") {
          base64 = said
        } else {
          text = said
        }
      }
    }
    if base64.isEmpty { return nil }
  }
}
