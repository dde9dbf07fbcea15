import Foundation
import KeepsakeFiles
import KeepsakeHubConformance
import KeepsakeTestSupport
import Testing

@testable import Keepsake

@Suite struct `A store that has many artifacts to send or to fetch` {
  @Test func `sends several at a time, each once, and asks once what the hub lacks`() async throws {
    try await Mirrors.make { mirrors in
      // Two sessions have the same artifacts.
      for title in ["one", "two"] { try await Self.session(title, of: 0..<10, in: mirrors.first) }
      let way = ArtifactsUnderWay(expected: Abreast.artifactLimit)
      let report = try await mirrors.first.sync(with: mirrors.address(over: way))
      #expect(report.sentArtifacts == 10 && report.sentBytes == 10 * 2000)
      #expect(way.puts.most == Abreast.artifactLimit)
      #expect(way.put.count == 10 && Set(way.put).count == 10)
      #expect(way.questions == 1)
      try await mirrors.second.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `sends large ones one after the other`() async throws {
    try await Mirrors.make { mirrors in
      try await Self.session("large", of: 0..<3, size: 1_200_000, in: mirrors.first)
      let way = ArtifactsUnderWay()
      let report = try await mirrors.first.sync(with: mirrors.address(over: way))
      #expect(report.sentArtifacts == 3)
      #expect(way.puts.most == 1)
      try await mirrors.second.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `ends with the first artifact that can't be sent, and sends the rest later`()
    async throws
  {
    try await Mirrors.make { mirrors in
      try await Self.session("one", of: 0..<30, in: mirrors.first)
      let way = ArtifactsUnderWay(mostAnswers: 5)
      let error = await #expect(throws: KeepsakeError.self) {
        try await mirrors.first.sync(with: mirrors.address(over: way))
      }
      #expect(error.map(InterruptedHub.isCut) == true)
      #expect(way.put.count <= 5 + Abreast.artifactLimit)
      #expect(try await mirrors.second.sync().received.isEmpty)
      let report = try await mirrors.first.sync()
      #expect((25 - Abreast.artifactLimit...25).contains(report.sentArtifacts))
      try await mirrors.second.sync()
      try await mirrors.requireSame()
    }
  }

  @Test(arguments: [2000, 200_000])
  func `fetches several of a session at a time, and each once`(size: Int) async throws {
    try await Mirrors.make { mirrors in
      try await Self.session("one", of: 0..<10, size: size, in: mirrors.first)
      try await mirrors.first.sync()
      let way = ArtifactsUnderWay(expected: Abreast.artifactLimit)
      let report = try await mirrors.second.sync(with: mirrors.address(over: way))
      #expect(report.receivedArtifacts == 10 && report.receivedBytes == Int64(10 * size))
      #expect(way.gets.most == Abreast.artifactLimit)
      #expect(way.got.count == 10 && Set(way.got).count == 10)
      try await mirrors.requireSame()
    }
  }

  @Test(arguments: [2000, 200_000])
  func `fetches those of several versions at a time, and each once`(size: Int) async throws {
    try await Mirrors.make { mirrors in
      // A sync writes up to sixteen of these versions in one transaction, and two of the sixteen may name the same artifact.
      try await Self.versions(20, having: 10, size: size, in: mirrors)
      let way = ArtifactsUnderWay(expected: Abreast.artifactLimit)
      let report = try await mirrors.second.sync(with: mirrors.address(over: way))
      #expect(report.receivedArtifacts == 10)
      #expect(way.gets.most == Abreast.artifactLimit)
      #expect(way.got.count == 10 && Set(way.got).count == 10)
      try await mirrors.requireSame()
    }
  }

  @Test func `can check the hub, which reads small ones several at a time, and large ones alone`()
    async throws
  {
    try await Mirrors.make { mirrors in
      try await Self.session("small", of: 0..<10, in: mirrors.first)
      try await Self.session("large", of: 10..<12, size: 1_200_000, in: mirrors.first)
      try await mirrors.first.sync()
      let altered = [3, 7].map { Artifact.ID(of: Self.bytes($0, size: 2000)) }
      for artifact in altered {
        try Data("else".utf8).write(to: try Self.file(of: artifact, at: mirrors))
      }
      let way = ArtifactsUnderWay(expected: Abreast.artifactLimit)
      let progress = Locked([[Int]]())
      let report = try await Store.checkHub(at: mirrors.address(over: way), readingData: true) {
        let step = [$0, $1]
        progress.withLock { $0.append(step) }
      }
      #expect(report.lacking == altered.sorted())
      #expect(report.findings.map(\.object) == altered.sorted().map { "artifact \($0)" })
      #expect(way.gets.most == Abreast.artifactLimit)
      #expect(way.got.count == 12 && Set(way.got).count == 12)
      let large = (10..<12).map { Artifact.ID(of: Self.bytes($0, size: 1_200_000)) }
      #expect(Set(way.got.suffix(2)) == Set(large))
      #expect(progress.withLock(\.self) == [[1, 2], [2, 2]] + (3...14).map { [$0, 14] })
      // The store puts them there again, at a time, too.
      let again = ArtifactsUnderWay(expected: 2)
      let put = try await mirrors.first.putAgain(report.lacking, at: mirrors.address(over: again))
      #expect(put == report.lacking && again.puts.most == 2)
      #expect(try await Store.checkHub(at: mirrors.address, readingData: true).findings == [])
    }
  }

  @Test func `can check the hub until it is out of reach`() async throws {
    try await Mirrors.make { mirrors in
      try await Self.session("one", of: 0..<30, in: mirrors.first)
      try await mirrors.first.sync()
      let way = ArtifactsUnderWay(mostAnswers: 5)
      let error = await #expect(throws: KeepsakeError.self) {
        try await Store.checkHub(at: mirrors.address(over: way), readingData: true)
      }
      #expect(error.map(InterruptedHub.isCut) == true)
      #expect(way.got.count <= 5 + Abreast.artifactLimit)
    }
  }

  @Test func `begins no more once it is cancelled`() async throws {
    try await Mirrors.make { mirrors in
      try await Self.session("one", of: 0..<30, in: mirrors.first)
      // So many are never under way at once, so the hub waits with its answers.
      let way = ArtifactsUnderWay(expected: Abreast.artifactLimit + 1, patience: .seconds(1))
      for (store, calls) in [(mirrors.first, way.puts), (mirrors.second, way.gets)] {
        let sync = Task { try await store.sync(with: mirrors.address(over: way)) }
        while calls.most < Abreast.artifactLimit { try await Task.sleep(for: .milliseconds(1)) }
        sync.cancel()
        await #expect(throws: CancellationError.self) { try await sync.value }
        #expect(try incoming(in: store.url).isEmpty)
        try await mirrors.first.sync()
      }
      #expect(way.put.count == Abreast.artifactLimit && way.got.count == Abreast.artifactLimit)
      try await mirrors.second.sync()
      try await mirrors.requireSame()
    }
  }

  @Test func `keeps whole what came before the hub was out of reach, and goes on from there`()
    async throws
  {
    try await Mirrors.make { mirrors in
      let id = try await Self.versions(40, in: mirrors)
      let way = ArtifactsUnderWay(mostAnswers: 25)
      let error = await #expect(throws: KeepsakeError.self) {
        try await mirrors.second.sync(with: mirrors.address(over: way))
      }
      #expect(error.map(InterruptedHub.isCut) == true)
      // Sixteen come together. Of the next sixteen nothing stays.
      let session = try await mirrors.second.session(id)
      #expect(try await session.entries(last: 100).count == 16)
      #expect(try incoming(in: mirrors.second.url).isEmpty)
      try await DeletingTests.isSound(mirrors.second)
      let report = try await mirrors.second.sync()
      #expect(report.receivedArtifacts == 40 - 16)
      try await mirrors.requireSame()
    }
  }

  @Test func `takes over the versions before one whose artifact the hub has lost`() async throws {
    try await Mirrors.make { mirrors in
      let id = try await Self.versions(12, in: mirrors)
      let lost = Artifact.ID(of: Self.bytes(7, size: 2000))
      try FileManager.default.removeItem(at: try Self.file(of: lost, at: mirrors))
      let report = try await mirrors.second.sync()
      #expect(report.aside.map(\.session) == [id])
      #expect(try await mirrors.second.session(id).entries(last: 100).count == 7)
      #expect(try incoming(in: mirrors.second.url).isEmpty)
    }
  }

  /// Makes a session with one entry that has some artifacts.
  private static func session(
    _ title: String, of numbers: Range<Int>, size: Int = 2000, in store: Store
  ) async throws {
    let session = try await store.createSession(title: title)
    try await session.append(
      .prompt(title),
      attaching: numbers.map { .init(.bytes(bytes($0, size: size)), madeBy: .user) })
  }

  /// Makes a session at the hub of which each version but the first brings an entry with an artifact.
  /// - Parameter artifacts: The number of different artifacts; nil for one in each version.
  @discardableResult
  private static func versions(
    _ count: Int, having artifacts: Int? = nil, size: Int = 2000, in mirrors: Mirrors
  ) async throws -> UUID {
    let session = try await mirrors.first.createSession()
    try await mirrors.first.sync()
    for number in 0..<count {
      let bytes = bytes(number % (artifacts ?? count), size: size)
      try await session.append(
        .prompt("\(number)"), attaching: [.init(.bytes(bytes), madeBy: .user)])
      try await mirrors.first.sync()
    }
    return session.id
  }

  /// Returns the file in which the hub has an artifact.
  private static func file(of artifact: Artifact.ID, at mirrors: Mirrors) throws -> URL {
    let file = try #require(
      FileManager.default.subpaths(atPath: mirrors.folder.path)?
        .first { $0.hasSuffix(artifact.digest.hex) })
    return URL(filePath: mirrors.folder.path + "/" + file)
  }

  private static func bytes(_ number: Int, size: Int) -> [UInt8] {
    let name = Array("\(number) ".utf8)
    return name + [UInt8](repeating: 7, count: size - name.count)
  }
}

/// A record of the artifacts that stores send to a hub and fetch from it.
private final class ArtifactsUnderWay: Sendable {
  let puts: CallsUnderWay
  let gets: CallsUnderWay
  private let mostAnswers: Int
  private let calls = Locked((put: [Artifact.ID](), got: [Artifact.ID](), questions: 0))

  var put: [Artifact.ID] { calls.withLock { $0.put } }
  var got: [Artifact.ID] { calls.withLock { $0.got } }
  /// The number of times that a store asked which artifacts the hub lacks.
  var questions: Int { calls.withLock { $0.questions } }

  /// - Parameters:
  ///   - expected: The number of artifacts that have to be under way at once.
  ///   - patience: How long an artifact waits for the others.
  ///   - mostAnswers: The number of artifacts after which the hub is out of reach.
  init(expected: Int = 1, patience: Duration = .seconds(10), mostAnswers: Int = .max) {
    puts = CallsUnderWay(expected: expected, patience: patience)
    gets = CallsUnderWay(expected: expected, patience: patience)
    self.mostAnswers = mostAnswers
  }

  func ask() { calls.withLock { $0.questions += 1 } }

  func put(_ artifact: Artifact.ID) throws {
    let count = calls.withLock { calls in
      calls.put.append(artifact)
      return calls.put.count
    }
    if count > mostAnswers { throw InterruptedHub.cut }
  }

  func get(_ artifact: Artifact.ID) throws {
    let count = calls.withLock { calls in
      calls.got.append(artifact)
      return calls.got.count
    }
    if count > mostAnswers { throw InterruptedHub.cut }
  }
}

extension Mirrors {
  /// Returns the way to the hub, on which each artifact is recorded.
  fileprivate func address(over way: ArtifactsUnderWay) -> HubAddress {
    let address = address
    return HubAddress(address.description) {
      ArtifactCountingHub(hub: try await address.open($0), way: way)
    }
  }
}

private struct ArtifactCountingHub: ForwardingHub {
  let hub: any Hub
  let way: ArtifactsUnderWay

  func missing(of artifacts: [Artifact.ID]) async throws -> [Artifact.ID] {
    way.ask()
    return try await hub.missing(of: artifacts)
  }

  func put(
    _ artifact: Artifact.ID,
    _ hand: @escaping @Sendable (_ take: ([UInt8]) throws -> Void) throws -> Void
  ) async throws {
    try way.put(artifact)
    try await way.puts.run { try await hub.put(artifact, hand) }
  }

  func get(_ artifact: Artifact.ID, _ take: @escaping @Sendable ([UInt8]) throws -> Void)
    async throws
  {
    try way.get(artifact)
    try await way.gets.run { try await hub.get(artifact, take) }
  }
}
