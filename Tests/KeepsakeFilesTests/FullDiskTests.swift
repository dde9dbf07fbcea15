@testable import KeepsakeFiles
import Testing

#if os(Linux)
  @Suite struct `A full disk` {
    @Test func `is reported with what to do`() throws {
      let full = try FileDescriptor(openingAnything: "/dev/full", for: .readingAndWriting)
      let error = fileError { () throws(FileError) in try full.write(all: [1]) }
      #expect(error?.code == .noSpace)
      let expected =
        "Can't write to '/dev/full': no space left on the device. Free some space and try again."
      #expect(error?.message == expected)
    }

    @Test(.enabled(if: Mount.isPermitted, "this process may not mount a small disk"))
    func `keeps the old file and leaves nothing of the new one`() throws {
      let disk = try #require(try Mount("tmpfs", options: "size=64k"))
      let large = [UInt8](repeating: 7, count: 100_000)
      try disk.directory.createDurably("kept", contents: [1, 2, 3])
      let durable = fileError { () throws(FileError) in
        try disk.directory.createDurably("kept", contents: large)
      }
      #expect(durable?.code == .noSpace)
      let source = try FileDescriptor(opening: disk.folder.write("source", large))
      let copied = fileError { () throws(FileError) in
        _ = try Ingest.copy(from: source, to: disk.directory, name: "copy")
      }
      #expect(copied?.code == .noSpace)
      let written = fileError { () throws(FileError) in
        var writer = try IngestWriter(directory: disk.directory, name: "copy")
        try writer.write(large)
        _ = try writer.finish()
      }
      #expect(written?.code == .noSpace)
      #expect(try disk.directory.names() == ["kept"])
      #expect(try disk.directory.openFile("kept").readAll(limit: 10) == [1, 2, 3])
    }

    @Test(.enabled(if: Mount.isPermitted, "this process may not mount a small disk"))
    func `does not keep anybody from taking a lock`() throws {
      let disk = try #require(try Mount("tmpfs", options: "size=64k"))
      let lock = try FileLock(
        path: disk.directory.path(of: "store.lock"), recordsHolder: true)
      let filler = try disk.directory.openFile("filler", for: .creating(exclusive: true))
      let filled = fileError { () throws(FileError) in
        try filler.write(all: [UInt8](repeating: 7, count: 100_000))
      }
      #expect(filled?.code == .noSpace)
      #expect(try lock.tryLock())
      #expect(lock.holder == nil)
    }
  }
#endif
