import KeepsakeFiles
import Foundation
import KeepsakeSQLite
import Testing

@testable import Keepsake

/// What a sweep takes for waste may be all that is left where a part of the store is gone.
@Suite("A sweep of a store that is not whole")
struct RefusedSweepTests {
  private static let other = DeletingTests.large + [1]

  /// A store with an artifact in a file and one in a row, and with a file and a row that nothing uses.
  private func withWaste(_ body: (Store, _ waste: URL) async throws -> Void) async throws {
    try await withTemporaryStore(options: .withoutIndexing) { store in
      let session = try await store.createSession()
      try await session.attach(.init(.bytes(DeletingTests.large), madeBy: .user))
      try await session.attach(.init(.bytes([1]), madeBy: .user))
      let waste = try putFile(of: SHA256.digest(of: [7]), into: store)
      try await body(store, waste)
    }
  }

  /// Puts a file of one byte where the file of an artifact would be.
  @discardableResult
  private func putFile(of digest: SHA256Digest, into store: Store) throws -> URL {
    let file = file(of: Artifact.ID(digest), in: store)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([7]).write(to: file)
    return file
  }

  private func file(of name: Artifact.ID, in store: Store) -> URL {
    let hex = name.digest.hex
    return store.url.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))")
  }

  /// Neither the sweep nor its preview does anything, and both say why.
  private func expectRefusal(
    of store: Store, _ reason: String, keeping waste: URL,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let rows = try DeletingTests.rows(store)
    let files = try DeletingTests.files(store)
    for sweep in [Store.sweep, Store.sweepPreview] {
      let error = await #expect(throws: KeepsakeError.self, sourceLocation: location) {
        _ = try await sweep(store)(.zero, [])
      }
      #expect(error?.code == .damaged, sourceLocation: location)
      #expect(
        error?.message.contains(reason) == true, "\(error?.message ?? "")", sourceLocation: location
      )
      #expect(error?.message.contains("removed nothing") == true, sourceLocation: location)
    }
    #expect(try DeletingTests.rows(store) == rows, sourceLocation: location)
    #expect(try DeletingTests.files(store) == files, sourceLocation: location)
    #expect(FileManager.default.fileExists(atPath: waste.path), sourceLocation: location)
  }

  /// A store's first artifact can get its row while a sweep looks at files. The many files of a killed import make the
  /// sweep's look take long. The clock of the store that attaches makes the row wait until the look has begun.
  @Test(.timeLimit(.minutes(60)))
  func `G7: goes on beside the attaching of a store's first artifact`() async throws {
    for delay in 0..<8 {
      try await withTemporaryStore(options: .withoutIndexing) { store in
        let notes = try store.handle.layout.folder.subdirectory(StoreLayout.incoming, create: true)
        for number in 0..<100 {
          let digest = SHA256.digest(of: Array("file \(number)".utf8))
          try putFile(of: digest, into: store)
          _ = try notes.openFile(FirstFile.name(digest), for: .creating(exclusive: true))
        }
        let file = file(of: Artifact.ID(SHA256.digest(of: DeletingTests.large)), in: store)
        let hasFile = Locked(false)
        var options = Store.Options.withoutIndexing
        options.now = {
          if FileManager.default.fileExists(atPath: file.path), !hasFile.withLock({ $0 }) {
            hasFile.withLock { $0 = true }
            Thread.sleep(forTimeInterval: Double(delay) / 1000)
          }
          return Date()
        }
        let other = try Store(path: store.url.path, options: options, registry: StoreRegistry())
        let session = try await other.createSession()
        async let attached = session.attach(.init(.bytes(DeletingTests.large), madeBy: .user))
        while !hasFile.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        _ = try await store.sweepPreview(olderThan: .zero)
        _ = try await attached
        await other.close()
      }
    }
  }

  @Test func `G7: goes on where all is there`() async throws {
    try await withWaste { store, waste in
      let preview = try await store.sweepPreview(olderThan: .zero)
      #expect(preview.strayFiles == 1)
      #expect(try await store.sweep(olderThan: .zero) == preview)
      #expect(!FileManager.default.fileExists(atPath: waste.path))
    }
  }

  @Test func `G7: refuses where an artifact's file is gone`() async throws {
    try await withWaste { store, waste in
      let hex = SHA256.digest(of: DeletingTests.large).hex
      try FileManager.default.removeItem(
        at: store.url.appending(path: "artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))"))
      try await expectRefusal(of: store, "Its file is gone", keeping: waste)
    }
  }

  @Test func `G7: goes on where each artifact that is missing is given up by its name`()
    async throws
  {
    try await withWaste { store, waste in
      let session = try await store.createSession()
      var names: [Artifact.ID] = []
      for bytes in [DeletingTests.large, Self.other] {
        let artifact = try #require(try await session.attach(.init(.bytes(bytes))).artifact)
        names.append(artifact.id)
        try FileManager.default.removeItem(at: file(of: artifact.id, in: store))
      }
      for lost in [[names[0]], [names[1]]] {
        let error = await #expect(throws: KeepsakeError.self) {
          try await store.sweep(olderThan: .zero, givingUp: Set(lost))
        }
        #expect(error?.code == .damaged)
        #expect(error?.remedy == .restoreMissingOrGiveUp, "\(error?.message ?? "")")
      }
      #expect(FileManager.default.fileExists(atPath: waste.path))
      let lost = Set(names)
      let preview = try await store.sweepPreview(olderThan: .zero, givingUp: lost)
      #expect(preview.strayFiles == 1)
      #expect(try await store.sweep(olderThan: .zero, givingUp: lost) == preview)
      #expect(!FileManager.default.fileExists(atPath: waste.path))

      // What is said of them stays, and so does what verify says; the log tells who gave them up.
      #expect(try await session.attachments().count == 2)
      let report = try await store.verify()
      #expect(Set(report.findings.map(\.object)) == Set(names.map(\.description)))
      let line = try #require(try await store.log().lines.first)
      #expect(line.event == .sweep)
      #expect(
        line.detail["gaveUp"]?.arrayValue?.compactMap(\.stringValue)
          == names.sorted().map(\.description))
      for bytes in [DeletingTests.large, Self.other] {
        try await session.attach(.init(.bytes(bytes)))
      }
      #expect(try await store.verify(.init(readData: true)).isSound)
    }
  }

  @Test func `G7: what is not missing can't be given up`() async throws {
    try await withWaste { store, waste in
      for name in [SHA256.digest(of: DeletingTests.large), SHA256.digest(of: [3])] {
        let error = await #expect(throws: KeepsakeError.self) {
          try await store.sweep(olderThan: .zero, givingUp: [Artifact.ID(name)])
        }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains("is not missing") == true, "\(error?.message ?? "")")
      }
      #expect(FileManager.default.fileExists(atPath: waste.path))
    }
  }

  @Test func `G7: giving an artifact up excuses nothing else that is wrong`() async throws {
    try await withWaste { store, waste in
      let lost = Artifact.ID(SHA256.digest(of: DeletingTests.large))
      try FileManager.default.removeItem(at: file(of: lost, in: store))
      try await store.handle.write { change in
        try change.db.prepare("DELETE FROM attachment WHERE number = 2").run()
      }
      let error = await #expect(throws: KeepsakeError.self) {
        try await store.sweep(olderThan: .zero, givingUp: [lost])
      }
      #expect(error?.code == .damaged)
      #expect(error?.message.contains("attachments are missing") == true)
      #expect(FileManager.default.fileExists(atPath: waste.path))
    }
  }

  @Test func `G7: refuses where the folder of artifacts is gone`() async throws {
    try await withWaste { store, waste in
      let place = store.url.appending(path: "elsewhere")
      let artifacts = store.url.appending(path: "artifacts")
      try FileManager.default.moveItem(at: artifacts, to: place)
      // One that is open still has what it opened.
      let other = try Store(
        path: store.url.path, options: .withoutIndexing, registry: StoreRegistry())
      let error = await #expect(throws: KeepsakeError.self) {
        try await other.sweep(olderThan: .zero)
      }
      #expect(error?.code == .damaged, "\(error?.message ?? "")")
      // Somebody mounts it again.
      try FileManager.default.removeItem(at: artifacts)
      await other.close()
      try FileManager.default.moveItem(at: place, to: artifacts)
      #expect(try await store.sweep(olderThan: .zero).strayFiles == 1)
      #expect(!FileManager.default.fileExists(atPath: waste.path))
    }
  }

  @Test func `G7: refuses where a folder can't be read`() async throws {
    try await withWaste { store, waste in
      // A link is not followed: for the administrator, too, that is a folder that can't be read.
      let shard = waste.deletingLastPathComponent()
      let place = store.url.appending(path: "elsewhere")
      try FileManager.default.moveItem(at: shard, to: place)
      try FileManager.default.createSymbolicLink(at: shard, withDestinationURL: place)
      let error = await #expect(throws: KeepsakeError.self) {
        try await store.sweep(olderThan: .zero)
      }
      #expect(error?.code == .damaged || error?.code == .refused)
      #expect(
        FileManager.default.fileExists(atPath: place.appending(path: waste.lastPathComponent).path))
    }
  }

  @Test func `G7: refuses where rows of attachments are missing`() async throws {
    try await withWaste { store, waste in
      try await store.handle.write { change in
        try change.db.prepare("DELETE FROM attachment WHERE number = 1").run()
      }
      try await expectRefusal(of: store, "attachments are missing", keeping: waste)
    }
  }

  @Test func `G7: refuses where rows of artifacts are missing`() async throws {
    try await withWaste { store, waste in
      try await store.handle.exclusively { db in
        try db.execute("PRAGMA foreign_keys = OFF")
        try db.execute("DELETE FROM artifact WHERE place = 1")
        try db.execute("PRAGMA foreign_keys = ON")
      }
      try await expectRefusal(of: store, "refer to artifacts that it does not have", keeping: waste)
    }
  }

  @Test func `G7: refuses where nothing is used any more, and nothing was ever deleted`()
    async throws
  {
    try await withWaste { store, waste in
      try await store.handle.write { change in
        try change.db.prepare("DELETE FROM attachment").run()
        try change.db.prepare("UPDATE session SET attachments = 0").run()
      }
      try await expectRefusal(of: store, "nothing was ever deleted", keeping: waste)
      // As where another database was put into the folder.
      try await store.handle.exclusively { db in
        try db.execute("DELETE FROM blob; DELETE FROM artifact")
      }
      try await expectRefusal(of: store, "nothing was ever deleted", keeping: waste)
    }
  }

  /// What a kill leaves between the file and its row: the moment after the commit failed to come, as it is on the disk.
  @Test(arguments: [1, 3], [0, 1])
  func `G7: goes on where a kill cut short the taking in of the very first artifacts`(
    files count: Int, rowsBefore rows: Int
  ) async throws {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store, options: .withoutIndexing)
    let session = try await store.createSession()
    try await session.append(.prompt("draw"))
    let copy = folder.url.appending(path: "Killed.keepsake")
    // Small artifacts are rows, and have no file.
    let small = (0..<rows).map { [UInt8($0)] }
    let sources = small + (0..<count).map { DeletingTests.large + [UInt8($0)] }
    try await store.handle.write { change in
      for source in sources {
        guard let prepared = try store.handle.artifacts.prepareNow(.bytes(source)) else {
          continue
        }
        _ = try store.handle.artifacts.keep(prepared, handle: store.handle, in: change)
      }
      // Before the commit the log has nothing of it: what is in the folder now is what a kill would leave.
      let copying = try OtherProgram("/bin/cp", ["-a", folder.store.path, copy.path])
      #expect(copying.succeeds())
    }
    await store.close()

    let killed = try await Store(at: copy, options: .withoutIndexing)
    #expect(try DeletingTests.rows(killed)["artifact"] == 0)
    #expect(try DeletingTests.files(killed).count == count)
    let preview = try await killed.sweepPreview(olderThan: .zero)
    #expect(preview.strayFiles >= count)
    #expect(try await killed.sweep(olderThan: .zero).strayFiles >= count)
    #expect(try DeletingTests.files(killed).isEmpty)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: copy.appending(path: "incoming").path)
    #expect(left.filter { $0.hasPrefix("first-") } == [])
    try await DeletingTests.isSound(killed)
    await killed.close()
  }

  @Test func `G7: a first artifact that was kept leaves no note, and its file is not swept`()
    async throws
  {
    let folder = try TestFolder()
    let store = try await Store(at: folder.store, options: .withoutIndexing)
    let session = try await store.createSession()
    try await session.attach([DeletingTests.large, Self.other].map { .init(.bytes($0)) })
    let notes = try FileManager.default.contentsOfDirectory(
      atPath: folder.store.appending(path: "incoming").path
    ).filter { $0.hasPrefix("first-") }
    #expect(notes == [])
    // As where another database was put into the folder: now nothing tells that these are nobody's.
    try await store.handle.exclusively { db in
      try db.execute("PRAGMA foreign_keys = OFF")
      try db.execute("DELETE FROM attachment; DELETE FROM artifact")
      try db.execute("UPDATE session SET attachments = 0; PRAGMA foreign_keys = ON")
    }
    let error = await #expect(throws: KeepsakeError.self) {
      try await store.sweep(olderThan: .zero)
    }
    #expect(error?.message.contains("nothing was ever deleted") == true, "\(error?.message ?? "")")
    #expect(try DeletingTests.files(store).count == 2)
    await store.close()
  }

  @Test func `G7: goes on where the last session that used anything was deleted`() async throws {
    try await withWaste { store, _ in
      for session in try await store.sessions().sessions {
        try await store.deleteSession(session.id)
      }
      #expect(try await store.sweep(olderThan: .zero).strayFiles == 1)
      #expect(try DeletingTests.files(store).isEmpty)
    }
  }

  /// Empties an index as damage does, with all else as it was.
  @Test(arguments: ["attachment_by_artifact", "sqlite_autoindex_artifact_1"])
  func `G7: refuses where an index does not tell of a row that is there`(index: String)
    async throws
  {
    let folder = try TestFolder()
    var store = try await Store(at: folder.store, options: .withoutIndexing)
    let session = try await store.createSession()
    for bytes in [DeletingTests.large, Self.other] {
      try await session.attach(.init(.bytes(bytes), madeBy: .user))
    }
    await store.close()
    let program = try OtherProgram(
      "/usr/bin/env",
      [
        "sqlite3", folder.store.appending(path: "store.sqlite").path, ".imposter \(index) x",
        "DELETE FROM x WHERE _ROWID_ = 1",
      ])
    #expect(program.succeeds())
    store = try await Store(at: folder.store, options: .withoutIndexing)
    let error = await #expect(throws: KeepsakeError.self) {
      try await store.sweep(olderThan: .zero)
    }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains("an index of its database") == true)
    #expect(try DeletingTests.files(store).count == 2)
    let rows = try store.handle.read {
      try $0.integer("SELECT count(*) FROM artifact NOT INDEXED")
    }
    #expect(rows == 2)
    await store.close()
  }
}
