#if os(Linux)
  import Foundation
  import Keepsake
  import Testing

  /// A real disk with little room: a file system in memory.
  @Suite struct `A full disk under a store` {
    private static let reason: Comment = "this process may not mount a small disk"

    @Test(.enabled(if: SmallDisk.isPermitted, reason), arguments: [100_000, 3_000_000])
    func `refuses what does not fit, keeps what was acknowledged, and goes on when there is room`(
      size: Int
    ) async throws {
      let disk = try #require(try SmallDisk(megabytes: 6))
      let ballast = disk.url.appending(path: "ballast")
      try Data(count: 1_000_000).write(to: ballast)
      let store = try await Store(at: disk.url.appending(path: "Chats.keepsake"))
      let session = try await store.createSession(title: "Full")
      var kept: [Data] = []
      var refused: KeepsakeError?
      // Random bytes of each number, so that none is known already.
      for number in 0..<200 where refused == nil {
        let bytes = Data(
          (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ number) })
        do {
          try await session.append(
            .response("number \(number)"), attaching: [.init(.data(bytes), madeBy: .response)])
          kept.append(bytes)
        } catch let error as KeepsakeError {
          refused = error
        }
      }
      let error = try #require(refused)
      #expect(error.code == .diskFull)
      #expect(error.message.contains("Free some space"))

      // Readable, here and from the beginning, with everything that was acknowledged.
      try await expect(session, has: kept)
      #expect(try await session.count() == kept.count)

      try FileManager.default.removeItem(at: ballast)
      try await session.append(.prompt("room again"))
      #expect(try await session.entry(at: kept.count).text == "room again")
      await store.close()

      let again = try await Store(at: disk.url.appending(path: "Chats.keepsake"))
      let reopened = try await again.session(session.id)
      #expect(try await reopened.count() == kept.count + 1)
      try await expect(reopened, has: kept)
      await again.close()
    }

    @Test(.enabled(if: SmallDisk.isPermitted, reason))
    func `fails only those of many that do not fit`() async throws {
      let disk = try #require(try SmallDisk(megabytes: 4))
      let store = try await Store(at: disk.url.appending(path: "Chats.keepsake"))
      let session = try await store.createSession()
      let outcomes = await withTaskGroup(of: (Int, (any Error)?).self) { group in
        for number in 0..<40 {
          group.addTask {
            do {
              let text = String(repeating: "x", count: number == 20 ? 5 << 20 : 100)
              var entry = Entry.event("\(number) ")
              entry.segments = [.structure(.array([.string("\(number) "), .string(text)]))]
              try await session.append(entry)
              return (number, nil)
            } catch { return (number, error) }
          }
        }
        return await group.reduce(into: [Int: (any Error)?]()) { $0[$1.0] = .some($1.1) }
      }
      for (number, error) in outcomes where number != 20 {
        #expect(error == nil, "entry \(number)")
      }
      let failure = try #require(outcomes[20] ?? nil)
      #expect((failure as? KeepsakeError)?.code == .diskFull)
      #expect(try await session.count() == 39)
      await store.close()
    }

    @Test(.enabled(if: SmallDisk.isPermitted, reason))
    func `leaves nothing behind where a store was to be made`() async throws {
      let disk = try #require(try SmallDisk(megabytes: 1))
      try SmallDisk.fill(disk.url.appending(path: "ballast"))
      let error = await keepsakeError {
        try await Store(at: disk.url.appending(path: "Chats.keepsake"))
      }
      #expect(error?.code == .diskFull)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["ballast"])
    }

    private func expect(_ session: Session, has kept: [Data]) async throws {
      for (position, bytes) in kept.enumerated() {
        let entry = try await session.entry(at: position)
        #expect(entry.text == "number \(position)")
        let attachment = try #require(entry.attachments.first)
        #expect(try await attachment.data() == bytes)
      }
    }
  }

  /// A mounted file system, taken down when nobody uses it any more.
  final class SmallDisk {
    let url: URL
    private let folder: TestFolder

    /// Mounts one; nil if that is refused.
    init?(megabytes: Int) throws {
      folder = try TestFolder()
      url = folder.url
      let mount = try OtherProgram(
        "/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", url.path])
      guard mount.succeeds() else { return nil }
    }

    deinit {
      let unmount = try? OtherProgram("/bin/umount", ["--lazy", url.path])
      _ = unmount?.succeeds()
    }

    /// Whether this process may mount at all: seldom, unless it runs as root outside a container.
    static let isPermitted: Bool = {
      do { return try SmallDisk(megabytes: 1) != nil } catch { return false }
    }()

    /// Writes zeros until nothing more fits.
    static func fill(_ url: URL) throws {
      guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
        throw CocoaError(.fileWriteUnknown)
      }
      let file = try FileHandle(forWritingTo: url)
      do { while true { try file.write(contentsOf: Data(count: 4096)) } } catch {
        try file.close()
      }
    }
  }
#endif
