import Foundation
import Keepsake

/// Three workers of a service share their conversations. One is lost with its folder, and the others go on where it ended.
@Sendable func workers(_ scene: Scene) async throws {
  let hub = HubAddress.folder(scene.folder.appending(path: "Hub"))
  try await Store.makeHub(at: hub)
  var workers: [Store] = []
  for name in ["One", "Two", "Three"] {
    let cache = scene.folder.appending(path: "\(name).keepsake")
    workers.append(try await Store(at: cache, joining: hub, as: .shared))
  }

  let session = try await workers[0].createSession(title: "A cup")
  try await session.append(.prompt("Draw a cup."))
  let drawn = Entry.NewAttachment(.data(picture(of: "a cup")), caption: "a cup", madeBy: .response)
  try await session.append(.response("Here it is."), attaching: [drawn])

  let lost = workers.removeFirst()
  await lost.close()
  try FileManager.default.removeItem(at: lost.url)
  scene.tell("  (the first worker is lost, with its folder)")

  // Both that are left write to the conversation at once, and each entry is there once.
  try await withThrowingTaskGroup { group in
    for (worker, colour) in zip(workers, ["blue", "red"]) {
      group.addTask {
        try await worker.session(session.id).append(.prompt("Make it \(colour)."))
      }
    }
    try await group.waitForAll()
  }
  for worker in workers {
    let all = try await worker.session(session.id).entries.all()
    let asked = all.suffix(2).map(\.text).sorted().joined(separator: " ")
    let pictures = all.flatMap(\.attachments).count
    scene.tell("  \(all.count) entries, \(pictures) picture; then: \(asked)")
  }
  for worker in workers { await worker.close() }
}
