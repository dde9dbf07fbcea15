import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let command = Measure(
    names: ["command: --version", "command: append, a process each"],
    run: measureCommand)

  private static func measureCommand(_ workshop: Workshop, _ names: [String]) async throws -> [Row]
  {
    guard let command = workshop.command else { return [] }
    let place = workshop.place("store.keepsake")
    let store = try await Store(at: place)
    let session = try await store.createSession(title: "command")
    await store.close()
    let plainFolder = workshop.place("plain")
    do {
      let plain = try PlainStore(making: plainFolder)
      _ = plain.makeSession()
    }
    let text = workshop.material.text()
    let append = [
      command, "--store", place.path, "append", session.id.uuidString.lowercased(), "--kind",
      "prompt", text,
    ]
    let plain = [Programs.sibling("KeepsakeYardstickAppend"), plainFolder.path, text]
    var (start, comparison) = (Comparison(), Comparison())
    for round in -1..<workshop.rounds {
      var (ours, theirs): ([Double], [Double]) = ([], [])
      var (versions, starts): ([Double], [Double]) = ([], [])
      for _ in 0..<10 {
        ours.append(Programs.microseconds(append))
        theirs.append(Programs.microseconds(plain))
        versions.append(Programs.microseconds([command, "--version"]))
        starts.append(Programs.microseconds([Programs.nothing]))
      }
      guard round >= 0 else { continue }
      comparison.add(ours.median / 1000, against: theirs.median / 1000)
      start.add(versions.median / 1000, against: starts.median / 1000)
    }
    try FileManager.default.removeItem(at: place)
    try FileManager.default.removeItem(at: plainFolder)
    return [
      Row(names[0], start, unit: "ms", goal: .valueAtMost(1.5)),
      Row(names[1], comparison, unit: "ms", goal: .ratioAtMost(2)),
    ]
  }
}
