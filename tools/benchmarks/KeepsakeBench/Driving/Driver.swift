import Foundation
import Keepsake
import KeepsakeBenchReport

/// Does what it is told on standard input, a line of JSON each, and answers with how long it took: one of those that
/// `tools/bench peers` compares.
///
/// What a line asks for is said in tools/benchmarks/peers/contender.py, which the others follow, too.
struct Driver {
  private let store: Store
  private var sessions: [Int: Session] = [:]

  static func run(in folder: String) async throws {
    var driver = Driver(
      store: try await Store(
        at: URL(filePath: folder, directoryHint: .isDirectory).appending(path: "store.keepsake")))
    driver.say(Answer())
    while let line = readLine() {
      let order = try JSONDecoder().decode(Order.self, from: Data(line.utf8))
      let answer = try await driver.follow(order)
      driver.say(answer)
    }
    await driver.store.close()
  }

  private struct Order: Decodable {
    let `do`: String
    var session: Int?
    var texts: [String]?
    var files: [String?]?
    var bytes: Bool?
    var word: String?
    var times: Int?
    var seconds: Double?
    var tells: Bool?
    var loads: [Load]?
  }

  private struct Load: Decodable {
    let session: Int
    let texts: [String]
    let files: [String?]
  }

  private struct Answer: Encodable {
    var microseconds: [Double]?
    var count: Int?
    var size: Int?
    var rejected: Int?
    var why: String?
  }

  private func say(_ answer: Answer) {
    do {
      var line = try JSONEncoder().encode(answer)
      line.append(UInt8(ascii: "\n"))
      try FileHandle.standardOutput.write(contentsOf: line)
    } catch { exit(74) }
  }

  private mutating func follow(_ order: Order) async throws -> Answer {
    switch order.do {
    case "create":
      _ = try await session(order.session ?? 0, creates: true)
      return Answer()
    case "append":
      let session = try await session(order.session ?? 0)
      let texts = order.texts ?? []
      return await appended(texts.count, order) { index in
        try await session.append(.turn(index, texts[index]))
      }
    case "attach":
      let session = try await session(order.session ?? 0)
      let (texts, files) = (order.texts ?? [], order.files ?? [])
      return await appended(files.count, order) { index in
        try await session.append(
          .response(texts[index]), attaching: Self.attachments(files[index]))
      }
    case "load":
      for load in order.loads ?? [] {
        let session = try await session(load.session, creates: true)
        for (text, file) in zip(load.texts, load.files) {
          try await session.append(.response(text), attaching: Self.attachments(file))
        }
      }
      return Answer()
    case "bulk":
      let session = try await store.createSession(title: "bulk")
      return Answer(
        microseconds: [
          try await microseconds {
            try await session.attach((order.files ?? []).flatMap(Self.attachments))
          }
        ])
    case "reload":
      let session = try await session(order.session ?? 0)
      let needsBytes = order.bytes ?? false
      var answer = Answer(count: 0, size: 0)
      answer.microseconds = try await repeated(order) {
        let entries = try await session.entries.all()
        var size = 0
        if needsBytes {
          for attachment in entries.flatMap(\.attachments) {
            size += try await attachment.data().count
          }
        }
        (answer.count, answer.size) = (entries.count, size)
      }
      return answer
    case "search":
      let word = order.word ?? ""
      try await store.indexForSearch()
      var count = 0
      let samples = try await repeated(order) {
        count = try await store.search(word, limit: 20).hits.count
      }
      return Answer(microseconds: samples, count: count)
    case "list":
      var count = 0
      let samples = try await repeated(order) {
        count = try await store.sessions(limit: 50).sessions.count
      }
      return Answer(microseconds: samples, count: count)
    case "count":
      return Answer(count: try await session(order.session ?? 0).count())
    case "forever":
      let session = try await session(order.session ?? 0)
      let text = order.texts?[0] ?? ""
      while true {
        try await session.append(.response(text))
        say(Answer())
      }
    default: throw Unknown(order: order.do)
    }
  }

  /// As often as asked for, but not again once the time is over.
  private func repeated(_ order: Order, _ body: () async throws -> Void) async throws -> [Double] {
    let end = ContinuousClock.now + .seconds(order.seconds ?? 3600)
    var samples = [try await microseconds(body)]
    while samples.count < order.times ?? 1, ContinuousClock.now < end {
      samples.append(try await microseconds(body))
    }
    return samples
  }

  /// What was acknowledged, and what was refused: that is an outcome, and no reason to stop.
  private func appended(
    _ count: Int, _ order: Order, _ append: (Int) async throws -> Void
  ) async -> Answer {
    let end = ContinuousClock.now + .seconds(order.seconds ?? 3600)
    var samples: [Double] = []
    var answer = Answer(rejected: 0)
    for index in 0..<count where index == 0 || ContinuousClock.now < end {
      do {
        samples.append(try await microseconds { try await append(index) })
        if order.tells == true { say(Answer()) }
      } catch {
        answer.rejected? += 1
        answer.why = "\(error)"
      }
    }
    answer.microseconds = samples
    return answer
  }

  private struct Unknown: Error {
    let order: String
  }

  private static func attachments(_ file: String?) -> [Entry.NewAttachment] {
    file.map { [.init(.file(URL(filePath: $0)))] } ?? []
  }

  /// Sessions have numbers in orders; here their titles are these.
  private mutating func session(_ number: Int, creates: Bool = false) async throws -> Session {
    if let known = sessions[number] { return known }
    if creates {
      sessions[number] = try await store.createSession(title: "\(number)")
    } else {
      var cursor: Session.Cursor?
      repeat {
        let page = try await store.sessions(after: cursor)
        for summary in page.sessions where summary.title == "\(number)" {
          sessions[number] = try await store.session(summary.id)
        }
        cursor = page.next
      } while sessions[number] == nil && cursor != nil
    }
    guard let found = sessions[number] else { throw Unknown(order: "session \(number)") }
    return found
  }
}
