import KeepsakeFiles
import Foundation
import KeepsakeTestSupport
import KeepsakeHubConformance
import Testing

@testable import Keepsake

/// Files of a hub that others flip, cut, exchange, rename, copy and remove.
@Suite struct `A hub in a folder whose files were altered` {
  @Test(arguments: 0..<8) func `gives no wrong byte, and goes on with the other sessions`(
    _ part: Int
  ) async throws {
    try await Slots.shared.run {
      let folder = try HubFolder()
      let known = try await Known(folder)
      for number in 0..<26 {
        let seed = UInt64(part * 1000 + number)
        var random = SeededGenerator(seed: seed)
        let copy = try folder.crash()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let touched = try Damage(in: copy, using: &random)
        try await known.check(copy, touched, "seed \(seed): \(touched.what)")
      }
    }
  }

  @Test func `tells a gap from the end`() async throws {
    let folder = try HubFolder()
    let hub = try await folder.open()
    let session = UUID()
    for _ in 0..<6 { _ = try await hub.push(session) }
    let log = try await hub.soundLog(session)
    try FileManager.default.removeItem(
      atPath: "\(folder.path)/session/\(FolderHub.name(of: session))/\(VersionFile.name(4))")
    let other = try await folder.open()
    let read = await #expect(throws: KeepsakeError.self) { try await other.log(session) }
    #expect(read?.code == .damaged)
    #expect(read?.message.contains("version 4 is gone") == true)
    let answer = try await other.commit(HubOffer(session, on: log[2].stamp))
    #expect(answer.failure?.cause as? HubFault == .damaged(session: session))
    #expect(try await other.directory().failures.keys.map(\.self) == [session])
    let sound = UUID()
    let stamp = try await other.push(sound).stamp
    let some = try await other.directory(of: [session, sound])
    #expect(some.failures.keys.map(\.self) == [session])
    #expect(some.heads == [HubHead(session: sound, version: 1, stamp: stamp)])
    // A hub object that was open sees that a version which it knew is gone.
    try FileManager.default.removeItem(
      atPath: "\(folder.path)/session/\(FolderHub.name(of: session))/\(VersionFile.name(6))")
    let next = try await hub.commit(HubOffer(session, on: log[5].stamp))
    #expect(next.failure?.message.contains("version 6 is gone") == true)
    #expect(try await hub.commit(HubOffer(UUID(), on: nil)).version == 1)
  }

  @Test func `a version of another hub is no version of this one`() async throws {
    let (folder, other) = (try HubFolder(), try HubFolder())
    let session = UUID()
    let name = "session/\(FolderHub.name(of: session))/\(VersionFile.name(2))"
    let stamp = UUID()
    for folder in [folder, other] {
      let hub = try await folder.open()
      let first = HubOffer(session, on: nil, stamp: stamp)
      #expect(try await hub.commit(first).version == 1)
      #expect(try await hub.commit(HubOffer(session, on: stamp)).version == 2)
    }
    try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
    try FileManager.default.copyItem(
      atPath: "\(other.path)/\(name)", toPath: "\(folder.path)/\(name)")
    let hub = try await folder.open()
    let error = await #expect(throws: KeepsakeError.self) {
      try await hub.versions(of: session, after: 1, bytes: 10)
    }
    #expect(error?.message.contains("belongs to the hub") == true)
    #expect(try await hub.versions(of: session, after: 0, bytes: 9000).versions.count == 1)
  }

  @Test func `a version of another history does not fit in`() async throws {
    let folder = try HubFolder()
    let session = UUID()
    let hub = try await folder.open()
    #expect(try await hub.push(session).version == 1)
    // The hub goes on, and so does its copy, as after a backup that was restored.
    let copy = try folder.crash()
    #expect(try await FolderHub.open(at: copy).push(session).version == 2)
    for version: Int64 in 2...3 { #expect(try await hub.push(session).version == version) }
    let name = "session/\(FolderHub.name(of: session))/\(VersionFile.name(2))"
    try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
    try FileManager.default.copyItem(atPath: "\(copy)/\(name)", toPath: "\(folder.path)/\(name)")
    let part = try await hub.versions(of: session, after: 0, bytes: .max)
    #expect(part.versions.map(\.version) == [1, 2])
    #expect(part.hasMore)
    let error = await #expect(throws: KeepsakeError.self) {
      try await hub.versions(of: session, after: 2, bytes: .max)
    }
    #expect(error?.message.contains("does not build on the version before it") == true)
  }

  @Test func `an artifact that was altered is put again`() async throws {
    let folder = try HubFolder()
    let hub = try await folder.open()
    let bytes = Array("an artifact".utf8)
    let id = try await hub.put(bytes)
    let path = "\(folder.path)/artifact/\(id.digest.hex.prefix(2))/\(id.digest.hex)"
    for wrong in [Data(), Data("an artefact".utf8), Data("an artifact, and more".utf8)] {
      try FileManager.default.removeItem(atPath: path)
      try wrong.write(to: URL(filePath: path))
      let error = await #expect(throws: KeepsakeError.self) { try await hub.bytes(id) }
      #expect(error?.code == .artifactDamaged)
      _ = try await hub.put(bytes)
      #expect(try await hub.bytes(id) == bytes)
    }
  }

  @Test func `no changed bit of a first line is read`() throws {
    let offer = HubOffer(UUID(), on: UUID())
    let line = VersionFile(offer, version: 12, hub: UUID()).line
    #expect(line.count < CheckedLine.limit)
    #expect(try VersionFile(#require(CheckedLine(line)))?.version == 12)
    for place in line.indices {
      for bit in 0..<8 {
        var other = line
        other[place] ^= 1 << bit
        #expect(CheckedLine(other) == nil, "byte \(place), bit \(bit)")
      }
      #expect(CheckedLine(Array(line[..<place])) == nil)
    }
  }

  @Test func `names sort with the newest first`() {
    let versions: [Int64] = [1, 2, 9, 10, 11, 99, 100, 12_345_678, 999_999_999_999_999_999]
    let names = versions.map(VersionFile.name)
    #expect(names.sorted() == names.reversed())
    #expect(names.map(VersionFile.version(named:)) == versions)
    #expect(names.allSatisfy { $0.utf8.count == 18 })
    for name in [
      "", "1", ".DS_Store", "00000000000000000a", "000000000000000000", "-99999999999999999",
    ] {
      #expect(VersionFile.version(named: name) == nil)
    }
  }
}

/// The content of a hub before anything is altered.
private struct Known: Sendable {
  let id: UUID
  private(set) var logs: [UUID: [HubVersion]] = [:]
  private(set) var artifacts: [Artifact.ID: [UInt8]] = [:]
  let mark: HubMark

  init(_ folder: HubFolder) async throws {
    let hub = try await folder.open()
    id = hub.identity.id
    mark = try await hub.changes(after: nil).mark
    for bytes: [UInt8] in [[1], Array("two".utf8), Array(repeating: 3, count: 5000)] {
      artifacts[try await hub.put(bytes)] = bytes
    }
    for count in [6, 3, 1] {
      let session = UUID()
      for _ in 0..<count { _ = try await hub.push(session) }
      logs[session] = try await hub.soundLog(session)
    }
    await hub.close()
  }

  /// Looks at a copy, in which something was altered.
  func check(_ path: String, _ touched: Damage, _ what: String) async throws {
    let comment = Comment(rawValue: what)
    let hub: FolderHub
    do { hub = try await FolderHub.open(at: path, expecting: id) } catch let error as KeepsakeError
    {
      #expect(touched.isHub, comment)
      #expect(error.cause is HubFault, comment)
      return
    }
    #expect(!touched.isHub, comment)
    let directory = try await hub.directory()
    for (session, log) in logs {
      let isTouched = touched.sessions.contains(session)
      let (read, failure) = await self.read(session, in: hub)
      #expect(read == Array(log.prefix(read.count)), comment)
      // A reader gets the versions before an altered one, and not one more.
      if let first = touched.altered[session] { #expect(read.count == first - 1, comment) }
      if let failure {
        #expect(isTouched, comment)
        #expect(failure.cause as? HubFault == .damaged(session: session), comment)
      } else if read.count < log.count {
        #expect(isTouched && touched.mayShorten, comment)
      }
      let head = directory.heads.first { $0.session == session }
      if let head {
        #expect(log[Int(head.version) - 1].stamp == head.stamp, comment)
        #expect(head.version == log.count || isTouched && touched.mayShorten, comment)
      } else {
        #expect(isTouched, comment)
        #expect(directory.failures[session] != nil || touched.mayShorten, comment)
      }
      // The hub finds an offer that it took long ago, or throws an error because nobody knows.
      for version in log {
        let offer = HubOffer(
          session: session, base: version.base, stamp: version.stamp, bytes: version.bytes,
          artifacts: [])
        let answer = try await hub.commit(offer)
        if let number = answer.version {
          #expect(number == version.version, comment)
        } else if !isTouched {
          Issue.record("\(what): \(answer)")
        }
      }
      let next = try await hub.commit(HubOffer(session, on: log.last?.stamp))
      if !isTouched { #expect(next.version == Int64(log.count + 1), comment) }
    }
    for (artifact, bytes) in artifacts {
      do { #expect(try await hub.bytes(artifact) == bytes, comment) } catch let error
        as KeepsakeError
      {
        #expect(touched.artifacts.contains(artifact), comment)
        #expect([.artifactDamaged, .artifactMissing].contains(error.code), comment)
      }
    }
    let changes = try await hub.changes(after: mark)
    #expect(changes.sessions.count <= logs.count + 1, comment)
    await hub.close()
  }

  private func read(_ session: UUID, in hub: FolderHub) async -> ([HubVersion], KeepsakeError?) {
    var all: [HubVersion] = []
    while true {
      do {
        let part = try await hub.versions(
          of: session, after: all.last?.version ?? 0, bytes: 4000)
        all += part.versions
        guard part.hasMore else { return (all, nil) }
      } catch { return (all, error as? KeepsakeError) }
    }
  }
}

/// An alteration that somebody made to the files of a hub.
private struct Damage {
  private(set) var what = ""
  private(set) var sessions: Set<UUID> = []
  /// The first version of a session whose file has other bytes.
  private(set) var altered: [UUID: Int64] = [:]
  private(set) var artifacts: Set<Artifact.ID> = []
  private(set) var isHub = false
  /// Tells whether the end of a session may be gone, which only those can see who knew of it.
  private(set) var mayShorten = false

  init(in path: String, using random: inout SeededGenerator) throws {
    let files = try HubFolder.files(path)
    let name = try #require(files.randomElement(using: &random))
    let other = try #require(files.filter { $0 != name }.randomElement(using: &random))
    let (url, otherURL) = (URL(filePath: "\(path)/\(name)"), URL(filePath: "\(path)/\(other)"))
    let bytes = try Data(contentsOf: url)
    func write(_ bytes: Data, to url: URL) throws {
      try? FileManager.default.removeItem(at: url)
      try bytes.write(to: url)
    }
    touch(name)
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2:
      var bytes = bytes
      let place = Int.random(in: 0..<bytes.count, using: &random)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      what = "bit flipped at \(place) of \(name)"
      try write(bytes, to: url)
    case 3:
      let count = Int.random(in: 0..<bytes.count, using: &random)
      what = "\(name) cut to \(count)"
      try write(bytes.prefix(count), to: url)
    case 4:
      what = "\(name) grown"
      try write(bytes + Data([0x0A]), to: url)
    case 5:
      what = "\(name) and \(other) exchanged"
      touch(other)
      let others = try Data(contentsOf: otherURL)
      try write(others, to: url)
      try write(bytes, to: otherURL)
    case 6:
      what = "\(name) put in the place of \(other)"
      sessions = []
      altered = [:]
      artifacts = []
      isHub = false
      touch(other)
      try write(bytes, to: otherURL)
    case 7:
      what = "\(name) removed"
      altered = [:]
      mayShorten = try Self.isNewest(url)
      try FileManager.default.removeItem(at: url)
    case 8:
      let last = Int64.random(in: 1...20, using: &random)
      let new = url.deletingLastPathComponent().appending(path: VersionFile.name(last))
      what = "\(name) renamed to version \(last)"
      altered = [:]
      guard new != url else { return }
      mayShorten = try Self.isNewest(url)
      try? FileManager.default.removeItem(at: new)
      try FileManager.default.moveItem(at: url, to: new)
    default:
      let number = Int64.random(in: 1...20, using: &random)
      let new = url.deletingLastPathComponent().appending(path: VersionFile.name(number))
      what = "\(name) copied to version \(number)"
      altered = [:]
      guard new != url else { return }
      try? FileManager.default.removeItem(at: new)
      try FileManager.default.copyItem(at: url, to: new)
    }
    // A file beside hub.json is nothing of the hub's.
    if what.contains("copied"), name == "hub.json" { isHub = false }
  }

  /// Tells whether no version follows an altered one, so that nobody can see that it is gone.
  private static func isNewest(_ url: URL) throws -> Bool {
    let folder = url.deletingLastPathComponent()
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).min()
      == url.lastPathComponent
  }

  private mutating func touch(_ name: String) {
    let parts = name.split(separator: "/").map(String.init)
    switch parts.first {
    case "session":
      guard let session = UUID(text: parts[1]), let version = VersionFile.version(named: parts[2])
      else { return }
      sessions.insert(session)
      altered[session] = min(version, altered[session] ?? version)
    case "artifact": if let id = Artifact.ID(parts[2]) { artifacts.insert(id) }
    case "hub.json": isHub = true
    default: break
    }
  }
}
