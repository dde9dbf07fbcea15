import Foundation
import Testing

@testable import Keepsake

/// What a power cut, a kill or a copy leaves of a store, opened first by somebody who only reads.
@Suite struct `A store that is read first after a crash` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  enum Index: String, CaseIterable { case whole, missing, empty, zeros, random }

  @Test(arguments: Index.allCases)
  func `is read whole, changes no byte, and is then written`(_ index: Index) async throws {
    let id = try await makeStore()
    try leave(index)
    let before = try TestFolder.contents(of: folder.store)
    for _ in 0..<2 {
      let store = try await Store(at: folder.store, options: .readOnly)
      #expect(try await store.session(id).texts() == Self.texts)
      #expect(try await store.search("banana", limit: 100).hits.count == Self.texts.count)
      let report = try await store.verify()
      #expect(report.isSound, "\(report.findings)")
      await store.close()
      #expect(try TestFolder.contents(of: folder.store) == before)
    }
    let store = try await Store(at: folder.store)
    try await store.session(id).append(.prompt("and on"))
    #expect(try await store.session(id).texts() == Self.texts + ["and on"])
    await store.close()
  }

  /// The advice of old: to copy it elsewhere.
  @Test(arguments: [true, false])
  func `is read as a copy that was made beside a program that writes`(hasIndex: Bool) async throws {
    let store = try await Store(at: folder.store)
    let session = try await store.createSession()
    for text in Self.texts { try await session.append(.prompt(text)) }
    let copy = folder.url.appending(path: "Copy.keepsake")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
    for name in ["store.sqlite", "store.sqlite-wal"] + (hasIndex ? ["store.sqlite-shm"] : []) {
      let copied = try OtherProgram(
        "/bin/cp", [folder.store.appending(path: name).path, copy.appending(path: name).path])
      #expect(copied.succeeds())
    }
    let before = try TestFolder.contents(of: copy)
    let reader = try await Store(at: copy, options: .readOnly)
    #expect(try await reader.session(session.id).texts() == Self.texts)
    await reader.close()
    #expect(try TestFolder.contents(of: copy) == before)
    await store.close()
  }

  #if os(Linux)
    @Test(
      .enabled(if: SmallDisk.isPermitted, "Mounting a file system is not permitted here"),
      arguments: Index.allCases)
    func `is read where nothing can be written`(_ index: Index) async throws {
      let id = try await makeStore()
      try leave(index)
      let disk = try #require(try SmallDisk(megabytes: 4))
      let place = disk.url.appending(path: "Chats.keepsake")
      try FileManager.default.copyItem(at: folder.store, to: place)
      let remount = try OtherProgram("/bin/mount", ["-o", "remount,ro", disk.url.path])
      #expect(remount.succeeds())
      let reader = try await Store(at: place, options: .readOnly)
      #expect(try await reader.session(id).texts() == Self.texts)
      await reader.close()
      let error = await keepsakeError { try await Store(at: place) }
      #expect(error?.code == .readOnly)
      #expect(error?.message.contains("read-only") == true, "\(error?.message ?? "")")
    }
  #endif

  /// The program that was killed while it wrote the index has a neighbour that has the store open and does nothing.
  @Test(arguments: [Store.Options.Access.readOnly, .readWriteExisting])
  func `is opened though whoever wrote the index of its log was killed at it`(
    access: Store.Options.Access
  ) async throws {
    let id = try await makeStore()
    let neighbour = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import signal, sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("SELECT count(*) FROM entry").fetchall()
        print("open", flush=True)
        signal.pause()
        """, folder.store.appending(path: "store.sqlite").path,
      ])
    #expect(try neighbour.waitForOutput())
    let broken = try OtherProgram(
      "/bin/sh",
      [
        "-c", #"head -c 96 /dev/zero | dd conv=notrunc of="$1" 2>/dev/null"#, "sh",
        folder.store.appending(path: "store.sqlite-shm").path,
      ])
    #expect(broken.succeeds())
    let store = try await Store(at: folder.store, options: .init(access: access))
    #expect(try await store.session(id).texts() == Self.texts)
    await store.close()
  }

  @Test func `that was open for reading when it happened is read again`() async throws {
    let id = try await makeStore()
    // Has the index open, as the reader has from then on.
    let neighbour = try OtherProgram(
      "/usr/bin/env",
      [
        "python3", "-c",
        """
        import os, signal, sqlite3, sys
        db = sqlite3.connect(sys.argv[1], isolation_level=None)
        db.execute("SELECT count(*) FROM entry").fetchall()
        print("open", flush=True)
        signal.pause()
        """, folder.store.appending(path: "store.sqlite").path,
      ])
    #expect(try neighbour.waitForOutput())
    let store = try await Store(at: folder.store, options: .readOnly)
    let session = try await store.session(id)
    #expect(try await session.texts() == Self.texts)
    let broken = try OtherProgram(
      "/bin/sh",
      [
        "-c", #"head -c 96 /dev/zero | dd conv=notrunc of="$1" 2>/dev/null"#, "sh",
        folder.store.appending(path: "store.sqlite-shm").path,
      ])
    #expect(broken.succeeds())
    // Who met it hears of it, once; from then on it is as when it was opened.
    _ = try? await session.texts()
    #expect(try await session.texts() == Self.texts)
    await store.close()
  }

  // MARK: -

  private static let texts = (0..<40).map { "banana \($0) " + String(repeating: "x", count: 300) }

  /// A store that has all of it in its log, as after a kill.
  private func makeStore() async throws -> UUID {
    var options = Store.Options()
    options.searchDelay = nil
    let store = try await Store(at: folder.store, options: options)
    let session = try await store.createSession()
    for text in Self.texts { try await session.append(.prompt(text)) }
    // Closing would bring it home.
    let copy = folder.url.appending(path: "Killed.keepsake")
    let copied = try OtherProgram("/bin/cp", ["-R", folder.store.path, copy.path])
    #expect(copied.succeeds())
    await store.close()
    try FileManager.default.removeItem(at: folder.store)
    try FileManager.default.moveItem(at: copy, to: folder.store)
    let log = folder.store.appending(path: "store.sqlite-wal")
    try #require(try Data(contentsOf: log).count > 40 * 4096)
    return session.id
  }

  private func leave(_ index: Index) throws {
    let url = folder.store.appending(path: "store.sqlite-shm")
    let size = try Data(contentsOf: url).count
    switch index {
    case .whole: break
    case .missing: try FileManager.default.removeItem(at: url)
    case .empty: try Data().write(to: url)
    case .zeros: try Data(count: size).write(to: url)
    case .random:
      try Data((0..<size).map { _ in UInt8.random(in: 0...255) }).write(to: url)
    }
  }
}
