import Foundation
package import Keepsake
import KeepsakeFiles
import KeepsakeTestSupport
import Testing

/// The checks that every hub has to pass, whatever it is made of.
///
/// A suite for a kind of hub runs ``checks``, each on a place of its own.
package struct HubConformance: Sendable {
  /// A place for one hub.
  package struct Place: Sendable {
    /// Makes the hub. It is called once, and first.
    package let make: @Sendable () async throws -> any Hub
    /// Opens the same hub again, as another store does.
    package let open: @Sendable () async throws -> any Hub

    package init(
      make: @escaping @Sendable () async throws -> any Hub,
      open: @escaping @Sendable () async throws -> any Hub
    ) {
      self.make = make
      self.open = open
    }
  }

  /// A check, with a name that says what a hub has to do.
  package struct Check: Sendable, CustomTestStringConvertible {
    package let testDescription: String
    package let run: @Sendable (Place) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Place) async throws -> Void) {
      testDescription = name
      self.run = run
    }
  }

  /// All checks.
  package static let checks: [Check] = [
    Check("A new hub is empty", empty),
    Check("What was committed is read again, by others too", roundTrip),
    Check("An offer on something else is told what stands there", refusals),
    Check("Of those who race each version is one's own", race),
    Check("An offer that is sent again is taken once", lostAnswers),
    Check("Work that makes offers runs once at most, and sees the answers to them", exchange),
    Check("Who holds a session commits next, and no hold lasts", holding),
    Check("New sessions come interleaved, and several in one call", newSessions),
    Check("A commit waits for its artifacts", lacks),
    Check("An artifact that many put is there once", artifacts),
    Check("Wrong bytes are refused", wrongBytes),
    Check("All artifacts are listed, once each", artifactList),
    Check("What is removed is lacked at once, and stays if it is needed", removal),
    Check(
      "What two stores remove at once stays if one of them knows that it is needed", removalsAtOnce),
    Check("Readers beside writers see whole versions only", readers),
    Check("Reading begins anywhere", anywhere),
    Check("What is erased in a version is gone, and the version stays", rewriting),
    Check("The hint leads to all that changed", hints),
    Check("Lists find all sessions of which offers speak", lists),
    Check("What lists say is read, and mended", mending),
    Check("A note stays until another one takes its place", notes),
    Check("A closed hub says so", closing),
  ]
}

// MARK: - Commits

extension HubConformance {
  private static func empty(_ place: Place) async throws {
    let hub = try await place.make()
    let other = try await place.open()
    #expect(hub.identity.id == other.identity.id)
    #expect(!hub.identity.address.isEmpty)
    let session = UUID()
    let versions = try await hub.versions(of: session, after: 0, bytes: 1000)
    #expect(versions == HubVersions(versions: [], newest: 0))
    #expect(!versions.hasMore)
    #expect(try await hub.directory().heads == [])
    #expect(try await hub.directory(of: [session]).heads == [])
    #expect(try await hub.commit([]).isEmpty)
    let id = Artifact.ID(of: [1])
    #expect(try await hub.missing(of: [id, id]) == [id, id])
    #expect(try await hub.missing(of: []) == [])
    try await hub.remove([id]) { [] }
    #expect(try await hub.artifacts(after: nil) == [])
    let error = await #expect(throws: KeepsakeError.self) { try await hub.get(id) { _ in } }
    #expect(error?.code == .artifactMissing)
  }

  private static func roundTrip(_ place: Place) async throws {
    let hub = try await place.make()
    let session = UUID()
    let contents: [[UInt8]] = [
      [], [0], Array(0...255), Array("{\"a\":1}\n\n".utf8),
      Array(repeating: 10, count: 3_000_000),
    ]
    var base: UUID?
    for (index, bytes) in contents.enumerated() {
      let offer = HubOffer(session: session, base: base, stamp: UUID(), bytes: bytes)
      #expect(try await hub.commit(offer).version == Int64(index + 1))
      base = offer.stamp
    }
    for reader in [hub, try await place.open()] {
      let log = try await reader.log(session)
      #expect(log.map(\.bytes) == contents)
      #expect(log.map(\.version) == [1, 2, 3, 4, 5])
      #expect(log.first?.base == nil)
      #expect(log.dropFirst().map(\.base) == log.dropLast().map(\.stamp))
      let head = HubHead(session: session, version: 5, stamp: try #require(base))
      #expect(try await reader.directory().heads == [head])
      #expect(try await reader.directory(of: [UUID(), session, session]).heads == [head])
      #expect(try await reader.directory(of: []).heads == [])
    }
  }

  private static func refusals(_ place: Place) async throws {
    let hub = try await place.make()
    let session = UUID()
    #expect(try await hub.commit(HubOffer(session, on: UUID())).standing == .some(nil))
    #expect(try await hub.directory().heads == [])
    let first = HubOffer(session, on: nil)
    #expect(try await hub.commit(first).version == 1)
    let head = HubHead(session: session, version: 1, stamp: first.stamp)
    #expect(try await hub.commit(HubOffer(session, on: nil)).standing == .some(head))
    #expect(try await hub.commit(HubOffer(session, on: UUID())).standing == .some(head))
    let other = try await place.open()
    #expect(try await other.commit(HubOffer(session, on: nil)).standing == .some(head))
    let itself = UUID()
    #expect(
      try await hub.commit(HubOffer(session, on: itself, stamp: itself)).failure?.code == .invalid)
    let second = HubOffer(session, on: first.stamp)
    #expect(try await other.commit(second).version == 2)
    // The hub object goes on from the version that another object wrote meanwhile.
    #expect(try await hub.commit(HubOffer(session, on: second.stamp)).version == 3)
    #expect(try await hub.soundLog(session).count == 3)
    let newest = try await other.directory(of: [session]).heads
    #expect(newest.map(\.version) == [3])
    #expect(try await hub.directory().heads == newest)
  }

  private static func race(_ place: Place) async throws {
    let hub = try await place.make()
    let hubs = [hub, try await place.open(), try await place.open()]
    let session = UUID()
    let each = 12
    let told = Locked<[Int64: UUID]>([:])
    let stood = Locked<[HubHead]>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let hub = hubs[task % hubs.count]
          var base: UUID?
          var taken = 0
          while taken < each {
            let offer = HubOffer(session, on: base)
            let answer = try await hub.commit(offer)
            if let version = answer.version {
              let before = told.withLock { $0.updateValue(offer.stamp, forKey: version) }
              #expect(before == nil, "version \(version) was given twice")
              base = offer.stamp
              taken += 1
            } else {
              let standing = try #require(answer.standing, "\(answer)")
              let head = try #require(standing)
              stood.withLock { $0.append(head) }
              base = head.stamp
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let log = try await hub.soundLog(session)
    #expect(log.count == 8 * each)
    let stamps = Dictionary(uniqueKeysWithValues: log.map { ($0.version, $0.stamp) })
    #expect(told.withLock { $0 } == stamps)
    #expect(stood.withLock { $0 }.allSatisfy { stamps[$0.version] == $0.stamp })
  }

  private static func lostAnswers(_ place: Place) async throws {
    let hub = try await place.make()
    let hubs = [hub, try await place.open(), try await place.open()]
    let session = UUID()
    let first = HubOffer(session, on: nil)
    #expect(try await hub.commit(first).version == 1)
    let given = Locked<[(HubOffer, Int64)]>([(first, 1)])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(task))
          var base: UUID? = first.stamp
          for _ in 0..<25 {
            let offer = HubOffer(session, on: base)
            // The answer of the first is lost; the same bytes go out again, at the same time and elsewhere.
            async let lost = hubs[0].commit(offer)
            let elsewhere = hubs[Int.random(in: 0..<3, using: &random)]
            async let again = elsewhere.commit(offer)
            let answers = [try await lost, try await again]
            // An offer whose number another offer took is never in the hub, so both hub objects answer the same.
            let versions = answers.compactMap(\.version)
            #expect(versions.isEmpty || versions.count == 2 && versions[0] == versions[1])
            if let version = versions.first {
              given.withLock { $0.append((offer, version)) }
              base = offer.stamp
            } else {
              let standing = try #require(answers.last?.standing)
              base = standing?.stamp
            }
            // An offer that was taken long ago is sent once more.
            let place = Int.random(in: 0..<1000, using: &random)
            let (old, version) = given.withLock { $0[place % $0.count] }
            #expect(try await hubs[1].commit(old).version == version)
          }
        }
      }
      try await group.waitForAll()
    }
    let log = try await hub.soundLog(session)
    let all = given.withLock { $0 }
    #expect(log.count == all.count)
    let later = try await place.open()
    for (offer, version) in all {
      #expect(try await later.commit(offer).version == version)
    }
    #expect(try await later.soundLog(session).count == log.count)
  }

  private static func newSessions(_ place: Place) async throws {
    let hub = try await place.make()
    let other = try await place.open()
    let shared = (0..<10).map { _ in UUID() }
    let winners = Locked<[UUID: [UUID]]>([:])
    let own = Locked<[UUID: UUID]>([:])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<6 {
        group.addTask {
          let hub = task.isMultiple(of: 2) ? hub : other
          for session in shared.shuffled() {
            let mine = UUID()
            let first = HubOffer(mine, on: nil)
            let offers = [
              HubOffer(session, on: nil), first, HubOffer(mine, on: first.stamp),
              HubOffer(mine, on: UUID()),
            ]
            let answers = try await hub.commit(offers)
            #expect(answers[1].version == 1)
            #expect(answers[2].version == 2)
            #expect(answers[3].standing??.stamp == offers[2].stamp)
            own.withLock { $0[mine] = offers[2].stamp }
            if answers[0].version == 1 {
              winners.withLock { $0[session, default: []].append(offers[0].stamp) }
            } else {
              #expect(answers[0].standing??.version == 1)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let heads = try await other.directory().heads
    #expect(heads.count == 70)
    let stamps = Dictionary(uniqueKeysWithValues: heads.map { ($0.session, $0.stamp) })
    for (session, stamp) in own.withLock({ $0 }) { #expect(stamps[session] == stamp) }
    for session in shared {
      let stamp = try #require(stamps[session])
      #expect(winners.withLock { $0[session] } == [stamp])
    }
  }

  private static func readers(_ place: Place) async throws {
    let hub = try await place.make()
    let session = UUID()
    let isOver = Locked(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          let reader = try await place.open()
          var stamps: [Int64: UUID] = [:]
          while !isOver.withLock({ $0 }) {
            let part = try await reader.versions(
              of: session, after: Int64.random(in: 0...Int64(stamps.count)), bytes: 20_000)
            for (before, version) in zip([nil] + part.versions.map(Optional.some), part.versions) {
              if let before {
                #expect(before.version + 1 == version.version)
                #expect(before.stamp == version.base)
              }
              #expect(version.bytes == Payload.bytes(version.stamp))
              #expect(
                stamps.updateValue(version.stamp, forKey: version.version) ?? version.stamp
                  == version.stamp)
            }
            #expect(part.newest >= Int64(stamps.count))
            let directory = try await reader.directory()
            #expect(directory.failures.isEmpty)
          }
        }
      }
      group.addTask {
        try await withThrowingTaskGroup(of: Void.self) { writers in
          for _ in 0..<3 {
            let hub = try await place.open()
            writers.addTask { for _ in 0..<40 { _ = try await hub.push(session) } }
          }
          defer { isOver.withLock { $0 = true } }
          try await writers.waitForAll()
        }
      }
      try await group.waitForAll()
    }
    #expect(try await hub.soundLog(session).count == 120)
  }

  private static func anywhere(_ place: Place) async throws {
    let hub = try await place.make()
    let session = UUID()
    for _ in 0..<30 { _ = try await hub.push(session) }
    let log = try await hub.soundLog(session)
    for hub in [hub, try await place.open()] {
      for after in 0...31 {
        let rest = try await hub.log(session, after: Int64(after), bytes: .max)
        #expect(rest == Array(log.dropFirst(after)))
        let one = try await hub.versions(of: session, after: Int64(after), bytes: 0)
        #expect(one.versions == Array(log.dropFirst(after).prefix(1)))
        #expect(one.newest == 30)
        #expect(one.hasMore == (after < 29))
      }
    }
  }
}

extension HubConformance {
  private static func rewriting(_ place: Place) async throws {
    let hub = try await place.make()
    let other = try await place.open()
    let session = UUID()
    for _ in 0..<6 { _ = try await hub.push(session) }
    let log = try await other.soundLog(session)
    let small = Array("nothing is left of it".utf8)
    let large = Payload.bytes(UUID())
    // Several do the same at once.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          let hub = task.isMultiple(of: 2) ? hub : other
          for version in log.prefix(4) {
            let bytes = version.version == 2 ? large : small
            let isDone = try await hub.rewrite(
              version.version, of: session, stamp: version.stamp, as: bytes)
            #expect(isDone)
          }
        }
      }
      try await group.waitForAll()
    }
    for hub in [hub, other, try await place.open()] {
      let now = try await hub.log(session)
      #expect(now.map(\.version) == log.map(\.version))
      #expect(now.map(\.stamp) == log.map(\.stamp))
      #expect(now.map(\.base) == log.map(\.base))
      #expect(now.map(\.bytes) == [small, large, small, small] + log.suffix(2).map(\.bytes))
      #expect(try await hub.directory().heads.map(\.stamp) == log.suffix(1).map(\.stamp))
    }
    // Where another stamp has the number, or nothing has it, nothing happens.
    #expect(try await !hub.rewrite(3, of: session, stamp: UUID(), as: large))
    #expect(try await !hub.rewrite(7, of: session, stamp: log[5].stamp, as: large))
    #expect(try await !hub.rewrite(1, of: UUID(), stamp: log[0].stamp, as: large))
    #expect(try await hub.log(session)[2].bytes == small)
    // An offer that is sent again is known again, although its bytes are gone, and the next one goes on.
    let again = HubOffer(session: session, base: log[1].stamp, stamp: log[2].stamp, bytes: [1])
    #expect(try await other.commit(again).version == 3)
    let first = HubOffer(session: session, base: nil, stamp: log[0].stamp, bytes: [1])
    #expect(try await place.open().commit(first).version == 1)
    #expect(try await hub.push(session).version == 7)
  }
}

// MARK: - Hints and the end

extension HubConformance {
  private static func hints(_ place: Place) async throws {
    let hub = try await place.make()
    let reader = try await place.open()
    var mark = try await reader.changes(after: nil).mark
    #expect(try await reader.changes(after: nil).mayHaveMissed)
    guard hub.identity.abilities.contains(.hints) else { return }
    let sessions = (0..<5).map { _ in UUID() }
    for round in 0..<10 {
      let some = sessions.shuffled().prefix(1 + round % 4)
      var versions: [UUID: Int64] = [:]
      for session in some {
        versions[session] = try await (round.isMultiple(of: 2) ? hub : reader).push(session).version
      }
      let changes = try await reader.changes(after: mark)
      for (session, version) in versions {
        #expect(changes.mayHaveMissed || changes.sessions[session] ?? 0 >= version)
      }
      mark = changes.mark
      let none = try await reader.changes(after: mark)
      #expect(none.mayHaveMissed || none.sessions.isEmpty)
      #expect(none.mark == mark)
    }
    let directory = try await reader.directory()
    for head in directory.heads {
      #expect(try await hub.soundLog(head.session).last?.stamp == head.stamp)
    }
    // A mark of another hub leads to the directory, and to no error.
    #expect(try await hub.changes(after: HubMark(text: "something else")).mayHaveMissed)
  }

  private static func closing(_ place: Place) async throws {
    let hub = try await place.make()
    let session = UUID()
    _ = try await hub.push(session)
    await hub.close()
    await hub.close()
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await hub.commit([HubOffer(session, on: nil)]) },
      { _ = try await hub.versions(of: session, after: 0, bytes: 1) },
      { _ = try await hub.changes(after: nil) }, { _ = try await hub.directory() },
      { _ = try await hub.directory(of: [session]) },
      { _ = try await hub.rewrite(1, of: session, stamp: UUID(), as: []) },
      { _ = try await hub.missing(of: []) }, { _ = try await hub.put([1]) },
    ]
    for call in calls {
      let error = await #expect(throws: KeepsakeError.self) { try await call() }
      #expect(error?.code == .closed)
    }
    #expect(try await place.open().soundLog(session).count == 1)
  }
}
