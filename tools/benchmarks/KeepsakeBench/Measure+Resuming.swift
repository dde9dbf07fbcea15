import Keepsake
import KeepsakeBenchReport

extension Measure {
  static let resuming = Measure(
    names: ["resume 10,000 entries", "resolve a reference among 1,000"], run: measureResuming)

  private static func measureResuming(_ workshop: Workshop, _ names: [String]) async throws -> [Row]
  {
    try await workshop.withStore { store in
      let session = try await store.createSession(title: "resume")
      let texts = workshop.material.texts(1000)
      for _ in 0..<10 {
        try await session.append(texts.indices.map { Entry.turn($0, texts[$0]) })
      }
      let resume = try await microseconds(of: 3 * workshop.rounds) { _ in
        let resumption = try await session.resume(.init(budget: .tokens(4096)))
        guard !resumption.entries.isEmpty, (resumption.tokens ?? .max) <= 4096 else {
          throw Surprise.wrongCount
        }
      }.median

      let gallery = try await store.createSession(title: "gallery")
      try await gallery.append(.prompt("many images"))
      for number in 0..<1000 {
        var new = Entry.NewAttachment(.bytes(Array("\(number)".utf8)), madeBy: .source)
        new.reference = "/var/folders/9j/T/picture \(number).png"
        try await gallery.attach(new, to: 0)
      }
      let resolve = try await microseconds(of: 20 * workshop.rounds) { round in
        let found = try await gallery.resolve(
          "![](file:///var/folders/9j/T/picture%20\(round).png)")
        guard found.attachment != nil else { throw Surprise.wrongCount }
      }.median
      return [
        Row(names[0], value: resume, unit: "µs", goal: .valueAtMost(50_000)),
        Row(names[1], value: resolve, unit: "µs", goal: .valueAtMost(1000)),
      ]
    }
  }
}
