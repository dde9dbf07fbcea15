import Testing

@testable import KeepsakeFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite struct `Allowed folders` {
  let temporary: TemporaryFolder
  let outside: TemporaryFolder
  let roots: AllowedRoots

  init() throws {
    temporary = try TemporaryFolder()
    outside = try TemporaryFolder()
    let inner = try temporary.directory.subdirectory("in", create: true)
    let deep = try inner.subdirectory("deep", create: true)
    try deep.createDurably("image.png", contents: [1, 2, 3])
    try outside.write("secret", [9])
    roots = try AllowedRoots([temporary.path("in")])
  }

  func refusal(_ path: String, maximumSize: Int64 = 100) -> FileError.Code? {
    fileError { () throws(FileError) in _ = try roots.open(path, maximumSize: maximumSize) }?.code
  }

  @Test(arguments: [
    "in/deep/image.png", "in//deep/./image.png", "in/deep/../deep/image.png",
    "../$/in/deep/image.png", "in/nothing/../deep/image.png",
  ])
  func `give the file however its path is written`(path: String) throws {
    let path = temporary.path(
      path.split(separator: "$", maxSplits: 1).joined(separator: temporary.name))
    #expect(try roots.open(path, maximumSize: 3).readAll(limit: 10) == [1, 2, 3])
  }

  @Test func `refuse what is outside`() {
    let paths = [
      outside.path("secret"), temporary.path("in/../other"), temporary.path("in/../../etc/passwd"),
      "/etc/passwd", "/", temporary.path, temporary.path("inside"), temporary.path("in2/x"),
    ]
    for path in paths { #expect(refusal(path) == .outsideRoot, "\(path)") }
  }

  @Test func `refuse the folder itself, and folders in it`() {
    #expect(refusal(temporary.path("in")) == .outsideRoot)
    #expect(refusal(temporary.path("in/deep")) == .notRegular)
  }

  @Test(arguments: ["", "in/deep/image.png", "./x", "file:///etc/passwd", "/tmp/a\0b", "/../.."])
  func `refuse what is no absolute path`(path: String) {
    #expect(refusal(path) == .invalid)
  }

  @Test func `follow no link, at the end, in the middle, or back inside`() throws {
    temporary.link("in/file", to: outside.path("secret"))
    temporary.link("in/folder", to: outside.path)
    temporary.link("in/harmless", to: temporary.path("in/deep"))
    temporary.link("in/proc", to: "/proc/self")
    #expect(refusal(temporary.path("in/file")) == .link)
    #expect(refusal(temporary.path("in/folder/secret")) == .link)
    #expect(refusal(temporary.path("in/harmless/image.png")) == .link)
    #expect(refusal(temporary.path("in/proc/mem")) == .link)
  }

  @Test(.timeLimit(.minutes(60)))
  func `refuse pipes without hanging`() {
    temporary.pipe("in/pipe")
    #expect(refusal(temporary.path("in/pipe")) == .notRegular)
  }

  @Test func `refuse what is too large, and say how large it may be`() throws {
    let path = temporary.path("in/deep/image.png")
    let error = fileError { () throws(FileError) in _ = try roots.open(path, maximumSize: 2) }
    #expect(error?.code == .tooLarge)
    #expect(error?.message.contains("the 2 bytes that are allowed") == true)
    #expect(refusal(path, maximumSize: 3) == nil)
  }

  @Test func `say what is not there`() {
    #expect(refusal(temporary.path("in/no")) == .notFound)
    #expect(refusal(temporary.path("in/no/no")) == .notFound)
    #expect(refusal(temporary.path("in/deep/image.png/x")) == .notDirectory)
  }

  @Test func `may be written by a link or by what it means`() throws {
    temporary.link("link", to: temporary.path("in"))
    let roots = try AllowedRoots([temporary.path("link")])
    for path in ["link/deep/image.png", "in/deep/image.png"] {
      #expect(try roots.open(temporary.path(path), maximumSize: 9).size == 3)
    }
    // The folder stays the one that was allowed, wherever the link points later.
    unlink(temporary.path("link"))
    temporary.link("link", to: outside.path)
    #expect(
      fileError { () throws(FileError) in
        _ = try roots.open(temporary.path("link/secret"), maximumSize: 9)
      }?.code == .notFound)
  }

  @Test func `take the longest of those that fit`() throws {
    temporary.link("in/link", to: outside.path)
    let roots = try AllowedRoots([temporary.path, temporary.path("in/link")])
    #expect(try roots.open(temporary.path("in/link/secret"), maximumSize: 9).size == 1)
    #expect(try roots.open(temporary.path("in/deep/image.png"), maximumSize: 9).size == 3)
  }

  @Test func `cannot be what is not there, or no absolute path`() {
    #expect(
      fileError { () throws(FileError) in _ = try AllowedRoots([temporary.path("no")]) }?.code
        == .notFound)
    #expect(fileError { () throws(FileError) in _ = try AllowedRoots(["in"]) }?.code == .invalid)
    #expect(
      fileError { () throws(FileError) in _ = try AllowedRoots([]).open("/x", maximumSize: 1) }?
        .code
        == .outsideRoot)
  }

  @Test(arguments: ["/proc", "/proc/self", "/dev", "/sys"])
  func `cannot be what the kernel makes up`(path: String) {
    guard access(path, F_OK) == 0 else { return }
    #expect(
      fileError { () throws(FileError) in _ = try AllowedRoots([path]) }?.code == .notRegular)
  }

  #if os(Linux)
    @Test(arguments: [
      "/proc/self/mem", "/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled",
      "/dev/null", "/dev/zero",
    ])
    func `don't lead to what the kernel makes up, even when all is allowed`(path: String) throws {
      let all = try AllowedRoots(["/"])
      let code = fileError { () throws(FileError) in
        _ = try all.open(path, maximumSize: .max)
      }?.code
      // /proc/self is a link.
      #expect(code == .notRegular || code == .link || code == .notFound)
      #expect(try all.open(temporary.path("in/deep/image.png"), maximumSize: 3).size == 3)
    }

    @Test(.enabled(if: Mount.isPermitted, "this process may not mount the kernel's files"))
    func `know the kernel's files wherever they are mounted`() throws {
      let mount = try #require(try Mount("proc"))
      let folder = mount.folder.path("mounted")
      let roots = try AllowedRoots([folder])
      for name in ["mem", "maps", "environ"] {
        let error = fileError { () throws(FileError) in
          _ = try roots.open("\(folder)/\(getpid())/\(name)", maximumSize: .max)
        }
        #expect(error?.code == .notRegular)
      }
    }

    @Test func `don't lead to the memory of this process`() throws {
      let all = try AllowedRoots(["/"])
      let path = "/proc/\(getpid())/mem"
      #expect(
        fileError { () throws(FileError) in _ = try all.open(path, maximumSize: .max) }?.code
          == .notRegular)
    }
  #endif

  @Test func `know the second names of Darwin's folders`() {
    #expect(AllowedRoots.alias(of: ["tmp", "a"]) == ["private", "tmp", "a"])
    #expect(AllowedRoots.alias(of: ["private", "var", "folders"]) == ["var", "folders"])
    #expect(AllowedRoots.alias(of: ["private"]) == nil)
    #expect(AllowedRoots.alias(of: ["tmpfoo"]) == nil)
    #expect(AllowedRoots.alias(of: ["Users", "tmp"]) == nil)
  }
}
