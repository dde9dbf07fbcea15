import Foundation
import Keepsake

/// A character is described first, and drawn after: its portrait hangs at a place inside of the description, pending until
/// it is there. Loading the game again draws nothing again.
@Sendable func portrait(_ scene: Scene) async throws {
  let drawings = Counter()
  let id: UUID
  do {
    let store = try await scene.store("Game")
    let session = try await store.createSession(title: "The inn")
    id = session.id
    let character = try JSON(
      validating: #"{"protagonist": {"name": "Bree", "portrait": null}, "foe": {"name": "Ash"}}"#)
    var entry = Entry(.response)
    entry.segments = [.structure(character, schema: "Characters")]
    let stored = try await session.append(entry)
    for pointer in ["/protagonist/portrait", "/foe/portrait"] {
      var new = Entry.NewAttachment.awaited(mediaType: .init("image/png"), madeBy: .step("Painter"))
      new.segment = 0
      new.place = .pointer(pointer)
      try await session.attach(new, to: stored.position)
    }
    try await paint(session, drawings, scene)
    await store.close()
  }
  scene.tell("  (the game is saved, and loaded again)")
  let store = try await scene.store("Game")
  try await paint(store.session(id), drawings, scene)
  scene.tell("  the painter was asked \(await drawings.value) times in all")
  await store.close()
}

/// Paints what is still pending; one of the two can't be painted.
private func paint(_ session: Session, _ drawings: Counter, _ scene: Scene) async throws {
  for attachment in try await session.attachments() where attachment.state == .pending {
    await drawings.add()
    guard case .pointer("/protagonist/portrait") = attachment.place else {
      try await session.settle(attachment, as: .failed)
      continue
    }
    try await session.settle(attachment, with: .data(picture(of: "Bree")))
  }
  for attachment in try await session.attachments() {
    guard case .pointer(let pointer)? = attachment.place else { continue }
    scene.tell("  \(pointer): \(scene.card(attachment))")
  }
}

private actor Counter {
  private(set) var value = 0
  func add() { value += 1 }
}
