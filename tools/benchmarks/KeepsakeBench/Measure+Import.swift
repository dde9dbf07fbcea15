import Foundation
import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let importing = Measure(
    names: [
      "import: images, all new", "import: images, nothing new", "import: text, all new",
      "import: text, nothing new", "import: 1,000 files that are known",
    ],
    run: measureImport)

  /// The command as a whole process, against Python reading each line as JSON and doing nothing with it.
  private static func measureImport(_ workshop: Workshop, _ names: [String]) async throws -> [Row] {
    guard let command = workshop.command, let python = Programs.python else { return [] }
    let folder = workshop.place("sessions")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let images = folder.appending(path: "images.jsonl")
    try workshop.material.sessionWithImages(of: workshop.isQuick ? 24 : 64, at: images)
    let text = folder.appending(path: "text.jsonl")
    try workshop.material.sessionOfText(of: workshop.isQuick ? 16 << 20 : 50 << 20, at: text)
    var rows: [Row] = []
    for (file, first) in [(images, 0), (text, 2)] {
      let (new, known) = try speeds(of: command, python, file, workshop)
      rows.append(
        Row(
          names[first], new, unit: "MB/s", goal: first == 0 ? .valueAtLeast(60) : .valueAtLeast(50))
      )
      rows.append(
        Row(
          names[first + 1], known, unit: "MB/s",
          goal: first == 0 ? .valueAtLeast(150) : .valueAtLeast(50)))
    }
    rows.append(
      Row(names[4], value: try knownFiles(command, workshop), unit: "ms", goal: .valueAtMost(200)))
    return rows
  }

  /// How fast a file goes into an empty store, ready to be searched, and how fast it is seen that a store has all of it.
  private static func speeds(
    of command: String, _ python: String, _ file: URL, _ workshop: Workshop
  ) throws -> (new: Comparison, known: Comparison) {
    let size = Double(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
    let yardstick = [
      python, "-c", "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)",
      file.path,
    ]
    var (new, known) = (Comparison(), Comparison())
    for round in -1..<(workshop.isQuick ? 3 : 5) {
      let place = workshop.place("store.keepsake")
      // A copy lies elsewhere, so that it is read.
      let copy = workshop.place("copy.jsonl")
      try FileManager.default.copyItem(at: file, to: copy)
      let least = Programs.microseconds(yardstick)
      let first = Programs.microseconds([command, "--store", place.path, "import", file.path])
      let second = Programs.microseconds([command, "--store", place.path, "import", copy.path])
      try FileManager.default.removeItem(at: place)
      try FileManager.default.removeItem(at: copy)
      guard round >= 0 else { continue }
      new.add(size / first, against: size / least)
      known.add(size / second, against: size / least)
    }
    return (new, known)
  }

  /// How long it takes to see that nothing changed in a folder of 1,000 sessions, in milliseconds.
  private static func knownFiles(_ command: String, _ workshop: Workshop) throws -> Double {
    let folder = workshop.place("many")
    let place = workshop.place("store.keepsake")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for number in 0..<1000 {
      let file = folder.appending(path: "\(number).jsonl")
      try workshop.material.sessionOfText(of: 20_000, at: file)
      // What changed a moment ago is read again, as its times can't tell yet whether it changes.
      let old = Date(timeIntervalSinceNow: -3600)
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file.path)
    }
    Thread.sleep(forTimeInterval: 3)
    let arguments = [command, "--store", place.path, "import", folder.path]
    _ = Programs.microseconds(arguments)
    let samples = (0..<workshop.rounds).map { _ in Programs.microseconds(arguments) / 1000 }
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.removeItem(at: place)
    return samples.median
  }
}

extension Material {
  /// A line of a session as Claude Code writes it.
  static func line(_ type: String, _ number: UInt64, _ session: UInt64, _ others: String)
    -> String
  {
    #"{"parentUuid":null,"isSidechain":false,"cwd":"/home/alice","sessionId":"s-\#(session)","version":"2.1.0","type":"\#(type)","uuid":"u-\#(number)","timestamp":"2026-11-20T10:00:00.000Z",\#(others)}"#
      + "\n"
  }

  /// Writes a session with images, each of which stands in it twice.
  fileprivate mutating func sessionWithImages(of count: Int, at file: URL) throws {
    let session = next()
    var text = ""
    for number in 0..<count {
      let image = Data(bytes(300_000)).base64EncodedString()
      text += Self.line(
        "assistant", next(), session,
        #""message":{"id":"m-\#(number)","role":"assistant","content":[{"type":"tool_use","id":"t-\#(number)","name":"Read","input":{"file_path":"/home/alice/\#(number).png"}}]}"#
      )
      text += Self.line(
        "user", next(), session,
        #""toolUseResult":{"type":"image","file":{"base64":"\#(image)","type":"image/png"}},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t-\#(number)","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"\#(image)"}}]}]}"#
      )
    }
    try Data(text.utf8).write(to: file)
  }

  /// Writes a session of questions and answers.
  mutating func sessionOfText(of size: Int, at file: URL) throws {
    let session = next()
    var bytes: [UInt8] = []
    var number = 0
    while bytes.count < size {
      number += 1
      let words = JSON.string(text(number)).text
      let content = number % 2 == 1 ? words : #"[{"type":"text","text":\#(words)}]"#
      let role = number % 2 == 1 ? "user" : "assistant"
      bytes += Array(
        Self.line(
          role, next(), session, #""message":{"role":"\#(role)","content":\#(content)}"#
        ).utf8)
    }
    try Data(bytes).write(to: file)
  }
}
