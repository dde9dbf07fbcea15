import Foundation
import Keepsake

/// A laptop and a phone have the same conversations. They part while the phone is away, and meet again.
@Sendable func meeting(_ scene: Scene) async throws {
  let hub = HubAddress.folder(scene.folder.appending(path: "Hub"))
  try await Store.makeHub(at: hub)
  let laptop = try await scene.store("Laptop")
  let phone = try await scene.store("Phone")
  for store in [laptop, phone] { try await store.join(hub) }

  let session = try await laptop.createSession(title: "A cup")
  try await session.append(.prompt("Draw a cup."))
  let drawn = Entry.NewAttachment(.data(picture(of: "a cup")), caption: "a cup", madeBy: .response)
  try await session.append(.response("Here it is."), attaching: [drawn])
  try await laptop.sync()
  try await phone.sync()
  scene.tell("  on the phone:")
  try await scene.tell(phone.session(session.id))

  // Both go on, and neither hears of the other.
  try await session.append(.prompt("Make it blue."))
  try await phone.session(session.id).append(.prompt("Make it red."))
  try await laptop.sync()
  let report = try await phone.sync()
  try await laptop.sync()
  for parted in report.parted {
    scene.tell("  they parted; on both, one goes on with:")
    for store in [laptop, phone] {
      for id in [parted.session, parted.continuation] {
        let last = try await store.session(id).entries(last: 1)
        scene.tell("    \(last.map(\.text).joined())")
      }
    }
  }
  for store in [laptop, phone] { await store.close() }
}
