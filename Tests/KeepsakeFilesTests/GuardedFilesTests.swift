import Testing

@testable import KeepsakeFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files whose locks this process would lose by closing a descriptor of them.
@Suite struct `A guarded file` {
  let temporary: TemporaryFolder
  let folder: Directory

  init() throws {
    temporary = try TemporaryFolder()
    folder = try Directory(path: temporary.path)
    try temporary.write("locked", [1, 2, 3])
  }

  private func isOpen(_ raw: Int32) -> Bool { fcntl(raw, F_GETFD) != -1 }

  private func code(_ path: String) -> FileError.Code? {
    fileError { () throws(FileError) in _ = try FileDescriptor(opening: path) }?.code
  }

  @Test func `is not opened under any name, and is free again with its guard gone`() throws {
    let path = temporary.path("locked")
    temporary.link("link", to: "locked")
    #expect(link(path, temporary.path("second")) == 0)
    let names = ["locked", "link", "second"]
    do {
      let guarded = GuardedFiles(["other", "locked"], in: folder)
      for name in names { #expect(code(temporary.path(name)) == .guarded, "\(name)") }
      let roots = try AllowedRoots([temporary.path])
      for name in ["locked", "second"] {
        let error = fileError { () throws(FileError) in
          _ = try roots.open(temporary.path(name), maximumSize: 10)
        }
        #expect(error?.code == .guarded, "\(name)")
      }
      withExtendedLifetime(guarded) {}
    }
    for name in names { #expect(code(temporary.path(name)) == nil, "\(name)") }
  }

  @Test func `that was made later is guarded, too, by its name`() throws {
    let guarded = GuardedFiles(["later"], in: folder)
    try temporary.write("later", [1])
    #expect(code(temporary.path("later")) == .guarded)
    #expect(code(temporary.path("locked")) == nil)
    withExtendedLifetime(guarded) {}
  }

  @Test func `that came into the place of what was looked at is kept open until its guard is gone`()
    throws
  {
    try temporary.write("looked at", [1])
    let looked = try #require(FileStatus(path: temporary.path("looked at")))
    let raw = open(temporary.path("locked"), O_RDONLY)
    do {
      let guarded = GuardedFiles(["locked"], in: folder)
      let second = GuardedFiles(["locked"], in: folder)
      let error = fileError { () throws(FileError) in
        try FileDescriptor.requireSame(raw, as: looked, path: "x")
      }
      #expect(error?.code == .guarded)
      #expect(isOpen(raw))
      withExtendedLifetime(second) {}
      withExtendedLifetime(guarded) {}
    }
    #expect(!isOpen(raw))
  }

  @Test func `that was opened before it was guarded is not closed`() throws {
    var guarded: GuardedFiles?
    let raw: Int32
    do {
      let file = try FileDescriptor(opening: temporary.path("locked"))
      raw = file.raw
      guarded = GuardedFiles(["locked"], in: folder)
    }
    #expect(isOpen(raw))
    withExtendedLifetime(guarded) {}
    guarded = nil
    #expect(!isOpen(raw))
  }

  @Test func `is not closed where it was met as a second name in a folder of ours`() throws {
    let guarded = GuardedFiles(["locked"], in: folder)
    #expect(link(temporary.path("locked"), temporary.path("artifact")) == 0)
    let raw: Int32
    do {
      let file = try folder.openFile("artifact")
      raw = file.raw
    }
    #expect(isOpen(raw))
    let lock = fileError { () throws(FileError) in
      _ = try FileLock(path: temporary.path("artifact"))
    }
    #expect(lock?.code == .notRegular)
    #expect(try temporary.read("locked") == [1, 2, 3])
    withExtendedLifetime(guarded) {}
  }

  @Test(.timeLimit(.minutes(60)))
  func `and a pipe, a folder and a device are told without waiting for anybody`() {
    temporary.pipe("pipe")
    for path in [temporary.path("pipe"), temporary.path, "/dev/zero", "/dev/tty"] {
      let error = code(path)
      #expect(error == .notRegular || path == "/dev/tty", "\(path)")
    }
  }
}
