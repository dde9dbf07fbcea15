import Foundation
import Keepsake

/// A structured answer streams in snapshots that are not prefixes of each other; one is finished, and one is cut off by a
/// crash and found again.
@Sendable func itinerary(_ scene: Scene) async throws {
  let snapshots = [
    #"{"title": "Kyo"}"#, #"{"title": "Kyoto", "days": [{"plan": "Arr"}]}"#,
    #"{"title": "Kyoto", "days": [{"plan": "Arrive, walk"}, {"plan": "Tem"}]}"#,
    #"{"title": "Kyoto", "days": [{"plan": "Arrive, walk"}, {"plan": "Temples, tea"}]}"#,
  ]
  let id: UUID
  do {
    let store = try await scene.store()
    let session = try await store.createSession(title: "Kyoto")
    id = session.id
    try await session.append(.prompt("two days in Kyoto"))
    let draft = try await session.draft()
    for snapshot in snapshots {
      draft.update(structure: try JSON(validating: snapshot), schema: "Itinerary")
    }
    let entry = try await draft.finish()
    scene.tell("  finished as entry \(entry.position ?? 0)")

    try await session.append(.prompt("and a third day"))
    let second = try await session.draft()
    second.update(structure: try JSON(validating: snapshots[1]), schema: "Itinerary")
    // What streams is written a few times a second.
    while try await session.drafts()[0].text.isEmpty {
      try await Task.sleep(for: .milliseconds(20))
    }
    // Here the app dies: nobody ends the draft.
    await store.close()
    scene.tell("  (the app dies while the second answer streams)")
  }
  let store = try await scene.store()
  let session = try await store.session(id)
  for draft in try await session.drafts() {
    scene.tell("  found \(draft.isInterrupted ? "interrupted" : "streaming"): \(draft.text)")
    try await session.keep(draft)
  }
  for entry in try await session.entries(last: 3) {
    for case .structure(let json, let schema) in entry.segments.map(\.content) {
      let days = json["days"]?.arrayValue?.count ?? 0
      scene.tell(
        "  \(schema ?? "?") \(json["title"]?.stringValue ?? "?"), \(days) days, \(entry.status.rawValue)"
      )
    }
  }
  await store.close()
}
