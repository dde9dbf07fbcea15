import Foundation
import Keepsake
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import KeepsakeObjects

/// Servers and networks that fail, or do not keep to the rules.
@Suite(.enabled(if: S3Server.isHere, "\(S3Server.reason)"))
struct `A hub in a bucket behind faults` {
  /// A patience that comes to an end in a test, too.
  private static func patience(_ total: Duration = .seconds(20)) -> ObjectPatience {
    var patience = ObjectPatience()
    patience.total = total
    patience.firstPause = .milliseconds(2)
    patience.longestPause = .milliseconds(20)
    return patience
  }

  private static func refused(_ code: String, _ status: Int, _ headers: [String: String] = [:])
    -> Relay.Plan
  {
    let text = "<Error><Code>\(code)</Code><Message>It is so.</Message></Error>"
    return .answer(ObjectAnswer(status: status, headers: headers, body: Array(text.utf8)))
  }

  @Test func `a server that does not list uploads has no leftovers`() async throws {
    let server = try S3Server.shared.get()
    let relay = try Relay(to: server) { heard in
      heard.query.contains { $0.name == "uploads" } ? Self.refused("AccessDenied", 403) : .pass
    }
    let hub = try await ObjectHub.open(
      server, at: server.place(), through: server.settings(port: relay.port))
    #expect(try await hub.leftovers(olderThan: .zero, removing: true) == Abandoned())
    await hub.close()
  }

  @Test(arguments: [true, false])
  func `uploads are listed page by page, and a list without an end is refused`(ends: Bool)
    async throws
  {
    let server = try S3Server.shared.get()
    let address = server.place()
    let prefix = try ObjectAddress(address).prefix + "artifact/"
    let relay = try Relay(to: server) { heard in
      let mark = heard.query.first { $0.name == "upload-id-marker" }?.value
      guard heard.query.contains(where: { $0.name == "uploads" }) else { return .pass }
      let upload = mark == nil ? "1" : "2"
      let text = """
        <ListMultipartUploadsResult><Upload><Key>\(prefix)ab</Key><UploadId>\(upload)</UploadId>\
        <Initiated>2026-01-02T03:04:05.000Z</Initiated></Upload>\
        <IsTruncated>\(mark == nil || !ends)</IsTruncated><NextKeyMarker>\(prefix)ab</NextKeyMarker>\
        <NextUploadIdMarker>\(upload)</NextUploadIdMarker></ListMultipartUploadsResult>
        """
      return .answer(ObjectAnswer(status: 200, headers: [:], body: Array(text.utf8)))
    }
    let store = try ObjectStore(
      ObjectAddress(address), server.settings(port: relay.port), patience: Self.patience())
    if ends {
      let found = try await store.unfinished(prefix)
      #expect(
        found == ["1", "2"].map { .init(key: prefix + "ab", upload: $0, begun: 1_767_323_045) })
    } else {
      await #expect(throws: KeepsakeError.self) { try await store.unfinished(prefix) }
    }
  }

  @Test func `a server that ignores the condition is refused`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    let relay = try Relay(to: server) { heard in
      heard.headers["if-none-match"] == nil ? .pass : .drop("if-none-match")
    }
    let error = await #expect(throws: KeepsakeError.self) {
      try await ObjectHub.open(server, at: address, through: server.settings(port: relay.port))
    }
    #expect(error?.code == .refused)
    #expect(error?.cause as? HubFault == .unconditional)
    #expect(error?.message.contains("creates an object that is there already") == true)
    // Also a hub that is there is not opened through it, and nothing is left of the proof.
    _ = try await ObjectHub.open(server, at: address)
    let again = await #expect(throws: KeepsakeError.self) {
      try await ObjectHub.open(server, at: address, through: server.settings(port: relay.port))
    }
    #expect(again?.cause as? HubFault == .unconditional)
    let left = try await server.store(address).list(ObjectAddress(address).prefix)
    #expect(left.entries.map(\.key) == [try ObjectAddress(address).prefix + "hub.json"])
  }

  @Test func `a server that lets several win at once is refused`() async throws {
    let server = try S3Server.shared.get()
    // Only the objects of the race are created without the condition.
    let relay = try Relay(to: server) { heard in
      heard.path.hasSuffix("-race") ? .drop("if-none-match") : .pass
    }
    let error = await #expect(throws: KeepsakeError.self) {
      try await ObjectHub.open(
        server, at: server.place(), through: server.settings(port: relay.port))
    }
    #expect(error?.cause as? HubFault == .unconditional)
    #expect(error?.message.contains("8 of 8 created one object at once") == true)
    let strict = try Relay(to: server) { heard in
      heard.headers["if-none-match"] == nil ? .pass : Self.refused("NotImplemented", 501)
    }
    let unknown = await #expect(throws: KeepsakeError.self) {
      try await ObjectHub.open(
        server, at: server.place(), through: server.settings(port: strict.port))
    }
    #expect(unknown?.cause as? HubFault == .unconditional)
    #expect(unknown?.message.contains("does not know the condition") == true)
  }

  @Test func `what is busy is asked again, after the time that it says`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    let times = Locked<[Int: Instant]>([:])
    let count = Locked(0)
    let relay = try Relay(to: server) { heard in
      guard heard.method == "PUT", heard.path.contains("/session/") else { return .pass }
      let number = count.withLock { count in
        count += 1
        return count
      }
      times.withLock { $0[number] = .now }
      switch number {
      case 1: return Self.refused("SlowDown", 503, ["retry-after": "1"])
      case 2: return Self.refused("InternalError", 500)
      case 3: return Self.refused("ConditionalRequestConflict", 409)
      case 4: return .answer(ObjectAnswer(status: 502, headers: [:], body: Array("<html>".utf8)))
      default: return .pass
      }
    }
    let hub = try await ObjectHub.open(
      server, at: address, through: server.settings(port: relay.port), patience: Self.patience())
    let session = UUID()
    #expect(try await hub.commit(HubOffer(session, on: nil)).version == 1)
    #expect(count.withLock { $0 } == 5)
    let seen = times.withLock { $0 }
    let (first, second) = (try #require(seen[1]), try #require(seen[2]))
    #expect(second - first >= .seconds(1))
    #expect(try await hub.soundLog(session).count == 1)
  }

  @Test func `a server that stays busy, and one that is not there, give up with a sentence`()
    async throws
  {
    let server = try S3Server.shared.get()
    let address = server.place()
    let isBusy = Locked(false)
    let relay = try Relay(to: server) { _ in
      isBusy.withLock { $0 } ? Self.refused("InternalError", 500) : .pass
    }
    let hub = try await ObjectHub.open(
      server, at: address, through: server.settings(port: relay.port),
      patience: Self.patience(.milliseconds(200)))
    isBusy.withLock { $0 = true }
    let session = UUID()
    let offer = HubOffer(session, on: nil)
    let failure = try #require(try await hub.commit(offer).failure)
    #expect(failure.code == .inputOutput)
    #expect(failure.cause as? HubFault == .unreachable)
    #expect(failure.message.contains("status 500, InternalError, It is so."))
    isBusy.withLock { $0 = false }
    #expect(try await hub.commit(offer).version == 1)
    let nobody = try await #require(throws: KeepsakeError.self) {
      let port = try LoopbackListener({ _ in }).port
      _ = try await ObjectHub.open(
        server, at: address, through: server.settings(port: port), patience: Self.patience())
    }
    #expect(nobody.cause as? HubFault == .unreachable)
  }

  /// Part and whole answers, and requests that came or did not come, in any order.
  @Test(arguments: LongRun.seeds(otherwise: 11...13))
  func `connections that are cut anywhere double nothing and lose nothing`(_ seed: UInt64)
    async throws
  {
    let server = try S3Server.shared.get()
    let address = server.place()
    let direct = try await ObjectHub.open(server, at: address)
    let proxy = try CuttingProxy(to: server.port, seed: seed)
    let (sessions, given, acknowledged) = (
      [UUID(), UUID()], Locked<[UUID: HubOffer]>([:]), Locked<[UUID: Int64]>([:])
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          var random = SeededGenerator(seed: seed * 100 + UInt64(task))
          // Half of the clients give up soon, so that offers stay of which nobody knows.
          let patience = Self.patience(task < 2 ? .zero : .seconds(20))
          var hub: ObjectHub?
          for _ in 0..<50 where hub == nil {
            hub = try? await ObjectHub.open(
              at: address, server.settings(port: proxy.port), patience: Self.patience())
          }
          let opened = try #require(hub)
          let client = ObjectHub(
            try ObjectStore(
              ObjectAddress(address), server.settings(port: proxy.port), patience: patience),
            id: opened.identity.id, peer: HubPeer(), freshness: .seconds(2))
          var bases: [UUID: UUID] = [:]
          for _ in 0..<30 {
            let session = sessions[Int.random(in: 0..<2, using: &random)]
            let offer = HubOffer(session, on: bases[session])
            given.withLock { $0[offer.stamp] = offer }
            for _ in 0...Int.random(in: 0...3, using: &random) {
              let answer = try await client.commit(offer)
              if let version = answer.version {
                let before = acknowledged.withLock { $0.updateValue(version, forKey: offer.stamp) }
                #expect(before == nil || before == version, "seed \(seed)")
                bases[session] = offer.stamp
                break
              } else if let standing = answer.standing {
                bases[session] = standing?.stamp
                break
              }
            }
          }
          await opened.close()
          await client.close()
        }
      }
      try await group.waitForAll()
    }
    var logs: [UUID: [HubVersion]] = [:]
    for session in sessions { logs[session] = try await direct.soundLog(session) }
    let all = logs.values.joined()
    // Each version is an offer that was made, and no offer is there twice.
    for version in all {
      let offer = try #require(given.withLock { $0[version.stamp] }, "seed \(seed)")
      #expect(version.bytes == offer.bytes && version.base == offer.base, "seed \(seed)")
    }
    #expect(Set(all.map(\.stamp)).count == all.count, "seed \(seed)")
    let places = Dictionary(uniqueKeysWithValues: all.map { ($0.stamp, $0.version) })
    for (stamp, version) in acknowledged.withLock({ $0 }) {
      #expect(places[stamp] == version, "seed \(seed)")
    }
    let (told, made) = (acknowledged.withLock { $0.count }, given.withLock { $0.count })
    print(
      "seed \(seed): \(proxy.cuts) cuts, \(all.count) of \(made) offers are in, \(told) acknowledged"
    )
    #expect(proxy.cuts > 60, "seed \(seed)")
  }

  @Test func `a listing that lies is an error, and no wrong answer`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    let direct = try await ObjectHub.open(server, at: address)
    let session = UUID()
    for _ in 0..<5 { _ = try await direct.push(session) }
    let mode = Locked(0)
    let relay = try Relay(to: server) { heard in
      guard heard.query.contains(where: { $0.name == "list-type" }) else { return .pass }
      let mode = mode.withLock { $0 }
      return mode == 0 ? .pass : .alter { Self.altered($0, mode) }
    }
    let hub = try await ObjectHub.open(
      server, at: address, through: server.settings(port: relay.port),
      patience: Self.patience(.milliseconds(100)))
    for lie in 1...4 {
      mode.withLock { $0 = lie }
      let error = await #expect(throws: KeepsakeError.self, "lie \(lie)") {
        try await hub.versions(of: session, after: 0, bytes: 10)
      }
      #expect(error?.cause is HubFault, "lie \(lie)")
    }
    mode.withLock { $0 = 0 }
    #expect(try await hub.soundLog(session).count == 5)
    // A listing that misses the newest, which is known, does not hide it.
    mode.withLock { $0 = 5 }
    #expect(try await hub.soundLog(session).count == 5)
    #expect(try await hub.push(session).version == 6)
  }

  private static func altered(_ answer: ObjectAnswer, _ lie: Int) -> ObjectAnswer {
    var text = String(decoding: answer.body, as: UTF8.self)
    switch lie {
    case 1: text = String(text.prefix(text.count / 2))
    case 2:
      text = text.replacing(
        "<IsTruncated>false</IsTruncated>", with: "<IsTruncated>true</IsTruncated>")
    case 3: text = text.replacing("/session/", with: "/sessions/")
    case 4: text = "<html>\(text)</html>"
    default:
      if let first = text.firstRange(of: "<Contents>"), let end = text.firstRange(of: "</Contents>")
      {
        text.removeSubrange(first.lowerBound..<end.upperBound)
      }
    }
    return ObjectAnswer(status: answer.status, headers: answer.headers, body: Array(text.utf8))
  }

  @Test func `keys never show in an error`() async throws {
    let server = try S3Server.shared.get()
    let address = server.place()
    _ = try await ObjectHub.open(server, at: address)
    let keys = server.credentials
    var environment = server.environment
    environment["AWS_SECRET_ACCESS_KEY"] = "sesame-open"
    var errors: [KeepsakeError] = []
    errors.append(
      try await #require(throws: KeepsakeError.self) {
        _ = try await ObjectHub.open(at: address, ObjectSettings(environment: environment))
      })
    #expect(errors[0].code == .permissionDenied)
    // A server that repeats what it was sent.
    let relay = try Relay(to: server) { heard in
      let text =
        "<Error><Code>AccessDenied</Code><Message>\(keys.keyID) \(keys.secret) \(heard.headers["authorization"] ?? "")</Message></Error>"
      return .answer(ObjectAnswer(status: 403, headers: [:], body: Array(text.utf8)))
    }
    errors.append(
      try await #require(throws: KeepsakeError.self) {
        _ = try await ObjectHub.open(
          server, at: address, through: server.settings(port: relay.port))
      })
    #expect(errors[1].message.contains("…"))
    for error in errors {
      var dumped = ""
      dump(error, to: &dumped)
      for text in [error.message, "\(error)", dumped, error.object ?? ""] {
        for secret in [keys.secret, keys.keyID, "sesame-open"] {
          #expect(!text.contains(secret), "\(text.replacing(secret, with: "(a key)"))")
        }
      }
    }
  }

  @Test func `a clock that is wrong is set by the server's`() async throws {
    let server = try S3Server.shared.get()
    let relay = try Relay(to: server) { heard in
      let date = heard.headers["x-amz-date"] ?? ""
      // The server lives in the year 2033.
      guard !date.hasPrefix("2033") else { return .pass }
      return Self.refused(
        "RequestTimeTooSkewed", 403, ["date": "Wed, 18 May 2033 03:33:20 GMT"])
    }
    let hub = try await ObjectHub.open(
      server, at: server.place(), through: server.settings(port: relay.port))
    #expect(try await hub.push(UUID()).version == 1)
  }
}
