import KeepsakeFiles
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite struct `A folder` {
  let temporary: TemporaryFolder
  var folder: Directory { temporary.directory }

  init() throws { temporary = try TemporaryFolder() }

  @Test func `gives back what was written`() throws {
    let file = try folder.openFile("a", for: .creating(exclusive: true))
    try file.write(all: [1, 2, 3])
    try file.write(all: [9], at: 1)
    try file.sync()
    var buffer = [UInt8](repeating: 0, count: 8)
    #expect(try file.read(into: &buffer, at: 0) == 3)
    #expect(buffer.prefix(3) == [1, 9, 3])
    #expect(try file.size == 3)
    #expect(try temporary.read("a") == [1, 9, 3])
    #expect(try folder.names() == ["a"])
  }

  @Test func `tells a file from one that took its name, and knows it under its other names`() throws
  {
    try temporary.write("a", [1])
    let first = try folder.identity(of: "a")
    #expect(first != nil)
    #expect(link(temporary.path("a"), temporary.path("b")) == 0)
    temporary.link("c", to: "a")
    #expect(try folder.identity(of: "b") == first)
    #expect(try folder.identity(of: "c") != first)
    try temporary.write("a", [1, 2])
    #expect(try folder.identity(of: "a") == first)
    try temporary.write("other", [1])
    try folder.rename("other", to: folder, as: "a")
    #expect(try folder.identity(of: "a") != first)
    #expect(try folder.identity(of: "b") == first)
    try folder.unlink("a")
    #expect(try folder.identity(of: "a") == nil)
    #expect(fileError { () throws(FileError) in _ = try folder.identity(of: "x/y") } != nil)
  }

  @Test func `refuses to make a file that is there`() throws {
    try temporary.write("a", [1])
    let error = fileError { () throws(FileError) in
      _ = try folder.openFile("a", for: .creating(exclusive: true))
    }
    #expect(error?.code == .exists)
    let expected =
      "Can't create '\(temporary.path("a"))': something of that name is there already. "
      + "Choose another name."
    #expect(error?.message == expected)
    #expect(error?.errno == EEXIST)
    #expect(error?.path == temporary.path("a"))
  }

  @Test(arguments: ["", ".", "..", "a/b", "/etc/passwd", "../x", "a\0b"])
  func `refuses a name that is not one component`(name: String) throws {
    let refusals = [
      fileError { () throws(FileError) in _ = try folder.openFile(name) },
      fileError { () throws(FileError) in
        _ = try folder.openFile(name, for: .creating(exclusive: true))
      },
      fileError { () throws(FileError) in _ = try folder.subdirectory(name, create: true) },
      fileError { () throws(FileError) in _ = try folder.status(name) },
      fileError { () throws(FileError) in try folder.unlink(name) },
      fileError { () throws(FileError) in try folder.removeTree(name) },
      fileError { () throws(FileError) in try folder.rename(name, to: folder, as: "x") },
      fileError { () throws(FileError) in try folder.rename("x", to: folder, as: name) },
      fileError { () throws(FileError) in try folder.createDurably(name, contents: []) },
    ]
    for refusal in refusals { #expect(refusal?.code == .invalid) }
    #expect(try folder.names() == [])
  }

  @Test func `follows no link`() throws {
    let outside = try TemporaryFolder()
    try outside.write("secret", [1])
    temporary.link("file", to: outside.path("secret"))
    temporary.link("folder", to: outside.path)
    temporary.link("dangling", to: outside.path("new"))
    #expect(fileError { () throws(FileError) in _ = try folder.openFile("file") }?.code == .link)
    let made = fileError { () throws(FileError) in
      _ = try folder.openFile("dangling", for: .creating(exclusive: false))
    }
    #expect(made?.code == .link)
    for create in [true, false] {
      let opened = fileError { () throws(FileError) in
        _ = try folder.subdirectory("folder", create: create)
      }
      #expect(opened?.code == .link)
    }
    #expect(try folder.status("file")?.kind == .link)
    try folder.removeAll()
    #expect(try folder.names() == [])
    #expect(try outside.read("secret") == [1])
    #expect(try outside.directory.names() == ["secret"])
  }

  @Test(.timeLimit(.minutes(60)))
  func `refuses pipes, devices and folders where a file is wanted, without hanging`() throws {
    temporary.pipe("pipe")
    _ = try folder.subdirectory("folder", create: true)
    for access in [FileAccess.reading, .readingAndWriting] {
      for name in ["pipe", "folder"] {
        let error = fileError { () throws(FileError) in
          _ = try folder.openFile(name, for: access)
        }
        #expect(error?.code == .notRegular, "\(name)")
      }
    }
    let devices = try Directory(path: "/dev")
    #expect(
      fileError { () throws(FileError) in _ = try devices.openFile("null") }?.code == .notRegular)
  }

  @Test func `says what is not there`() throws {
    #expect(fileError { () throws(FileError) in _ = try folder.openFile("no") }?.code == .notFound)
    #expect(fileError { () throws(FileError) in try folder.unlink("no") }?.code == .notFound)
    #expect(
      fileError { () throws(FileError) in _ = try folder.subdirectory("no") }?.code == .notFound)
    let path = temporary.path("no")
    #expect(
      fileError { () throws(FileError) in _ = try Directory(path: path) }?.code == .notFound)
    #expect(try folder.status("no") == nil)
    #expect(try folder.exists("no") == false)
    try temporary.write("file", [])
    let file = temporary.path("file")
    #expect(
      fileError { () throws(FileError) in _ = try Directory(path: file) }?.code == .notDirectory)
    #expect(
      fileError { () throws(FileError) in _ = try folder.subdirectory("file") }?.code
        == .notDirectory)
    #expect(
      fileError { () throws(FileError) in _ = try Directory(path: "/tmp\0/x") }?.code == .invalid)
  }

  @Test func `works on where it is, not on what its path means now`() throws {
    let inner = try folder.subdirectory("inner", create: true)
    try folder.rename("inner", to: folder, as: "moved")
    _ = try folder.subdirectory("inner", create: true)
    try inner.createDurably("a", contents: [7])
    #expect(try folder.subdirectory("moved").names() == ["a"])
    #expect(try folder.subdirectory("inner").names() == [])
  }

  @Test func `moves a file into another folder and replaces what is there`() throws {
    let goal = try folder.subdirectory("goal", create: true)
    try goal.createDurably("b", contents: [1])
    try temporary.write("a", [2])
    try folder.rename("a", to: goal, as: "b")
    #expect(try goal.openFile("b").readAll(limit: 10) == [2])
    #expect(try folder.names() == ["goal"])
  }

  @Test func `removes trees of any names`() throws {
    var inner = folder
    for level in 0..<40 {
      inner = try inner.subdirectory("level \(level)", create: true)
      try inner.createDurably("ö 🍌", contents: [1])
    }
    // A name that is no UTF-8, as other programs may leave it.
    let raw: [CChar] = Array(temporary.path.utf8CString.dropLast()) + [47, -1, -2, 0]
    #if os(Linux)
      let file = open(raw, O_CREAT | O_WRONLY, 0o600)
      #expect(file >= 0)
      close(file)
    #endif
    try folder.removeTree("level 0")
    try folder.removeAll()
    #expect(try folder.names() == [])
    #expect(
      fileError { () throws(FileError) in try folder.removeTree("level 0") }?.code == .notFound)
  }

  @Test func `gives files and folders the asked modes, and others none`() throws {
    _ = try folder.openFile("file", for: .creating(exclusive: true))
    _ = try folder.subdirectory("folder", create: true)
    try folder.createDurably("durable", mode: 0o444, contents: [])
    #expect(try folder.status("file")?.mode == 0o600)
    #expect(try folder.status("folder")?.mode == 0o700)
    #expect(try folder.status("durable")?.mode == 0o444)
    let root = try Directory(path: TemporaryFolder.root)
    #expect(try root.status(temporary.name)?.mode == 0o700)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write anywhere"))
  func `says when permission is denied`() throws {
    chmod(temporary.path, 0o500)
    defer { chmod(temporary.path, 0o700) }
    let error = fileError { () throws(FileError) in try folder.createDurably("a", contents: []) }
    #expect(error?.code == .permissionDenied)
  }
}

@Suite struct `A file made durably` {
  let temporary: TemporaryFolder
  var folder: Directory { temporary.directory }

  init() throws { temporary = try TemporaryFolder() }

  @Test func `is there whole, and replaces an older one`() throws {
    let contents = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    try folder.createDurably("a", contents: contents)
    #expect(try temporary.read("a") == contents)
    try folder.createDurably("a", contents: [1])
    #expect(try temporary.read("a") == [1])
    #expect(try folder.names() == ["a"])
    #expect(try folder.status("a")?.mode == 0o600)
  }

  @Test func `leaves nothing behind when its place is taken`() throws {
    let taken = try folder.subdirectory("taken", create: true)
    try taken.createDurably("x", contents: [])
    let error = fileError { () throws(FileError) in
      try folder.createDurably("taken", contents: [1])
    }
    #expect(error?.code == .notRegular)
    #expect(error?.message.hasPrefix("Can't create '\(temporary.path("taken"))'") == true)
    #expect(try folder.names() == ["taken"])
  }
}

@Suite struct `An open file` {
  let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 300_000])
  func `is read whole up to the limit, and refused above it`(size: Int) throws {
    let contents = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let path = try temporary.write("a", contents)
    #expect(try FileDescriptor(opening: path).readAll(limit: size) == contents)
    #expect(try FileDescriptor(opening: path).readAll(limit: size + 1) == contents)
    if size > 0 {
      let error = fileError { () throws(FileError) in
        _ = try FileDescriptor(opening: path).readAll(limit: size - 1)
      }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test func `is read in pieces from where the last one ended`() throws {
    let file = try FileDescriptor(opening: temporary.write("a", [1, 2, 3, 4, 5]))
    var buffer: [UInt8] = [0, 0, 0]
    #expect(try file.read(into: &buffer) == 3)
    #expect(buffer == [1, 2, 3])
    #expect(try file.read(into: &buffer) == 2)
    #expect(buffer == [4, 5, 3])
    #expect(try file.read(into: &buffer) == 0)
    #expect(try file.readAll(limit: 10) == [])
  }

  @Test func `refuses writing when it was opened for reading`() throws {
    let file = try FileDescriptor(opening: temporary.write("a", [1]))
    let error = fileError { () throws(FileError) in try file.write(all: [2]) }
    #expect(error?.errno == EBADF)
    #expect(try temporary.read("a") == [1])
  }

  @Test func `is cut off and lengthened`() throws {
    let file = try temporary.directory.openFile("a", for: .creating(exclusive: true))
    try file.write(all: [1, 2, 3])
    try file.setSize(1)
    try file.setSize(2)
    #expect(try temporary.read("a") == [1, 0])
  }

  @Test func `is not inherited by programs`() throws {
    let file = try FileDescriptor(opening: temporary.write("a", [1]))
    let inner = try temporary.directory.openFile("a")
    // What a program has open besides its three streams and its own listing, by path.
    let listing = try run(
      ["/bin/sh", "-c", "ls -l /dev/fd/ | grep -c '\(temporary.path)/' || true"],
      output: "\(temporary.path)-listing")
    unlink("\(temporary.path)-listing")
    #expect(listing.text == "0\n")
    #expect(try file.size + inner.size == 2)
  }
}
