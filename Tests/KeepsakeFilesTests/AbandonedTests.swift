import KeepsakeFiles
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite("What killed makers of files and folders leave")
struct AbandonedTests {
  private let folder: TemporaryFolder
  private var directory: Directory { folder.directory }

  init() throws { folder = try TemporaryFolder() }

  /// Leaves a folder as a process does that ends while it fills it.
  @discardableResult
  private func leaveFolder(files: Int = 1) throws -> String {
    let hidden = try HiddenFolder(in: directory)
    let inner = try hidden.folder.subdirectory("artifacts", create: true)
    for number in 0..<files {
      try inner.openFile("\(number)", for: .creating(exclusive: true)).write(all: [1, 2, 3])
    }
    return hidden.name
  }

  @Test func `go, and what one still makes stays until it is given up`() throws {
    try leaveFolder(files: 2)
    try leaveFolder()
    do {
      let making = try HiddenFolder(in: directory)
      let file = try NewFile("a", in: directory)
      try file.write([7])
      let new = try NewFolder("f", in: directory)
      #expect(try directory.names().count == 5)
      #expect(try directory.abandoned() == Abandoned(count: 2, bytes: 9))
      #expect(try directory.removeAbandoned() == Abandoned(count: 2, bytes: 9))
      #expect(try directory.names().count == 3)
      try file.finish()
      try new.place()
      try new.settle()
      #expect(try directory.exists(making.name))
    }
    #expect(try directory.removeAbandoned().count == 1)
    #expect(try directory.names() == ["a", "f"])
    #expect(try directory.removeAbandoned() == Abandoned())
  }

  @Test func `D5: what somebody planted under such a name is not followed, and stays`() throws {
    let precious = try directory.subdirectory("precious", create: true)
    try precious.openFile("a", for: .creating(exclusive: true)).write(all: [1])
    let name = try leaveFolder()
    try directory.removeTree(name)
    let digits = String(name.suffix(32))
    let beginning = String(name.dropLast(32))
    folder.link(name, to: folder.path("precious"))
    let last = String(digits.dropLast()) + (digits.hasSuffix("0") ? "1" : "0")
    folder.pipe(beginning + last)
    for odd in [digits.uppercased() + "G", String(digits.dropLast()), digits + "0"] {
      _ = try directory.subdirectory(beginning + odd, create: true)
    }
    for other in [".new-1234", ".keepsake-new-", ".keepsake-old-" + digits] {
      try folder.write(other, [1])
    }
    let before = try directory.names()
    #expect(try directory.removeAbandoned() == Abandoned())
    #expect(try directory.names() == before)
    #expect(try precious.names() == ["a"])
  }

  @Test(.enabled(if: geteuid() == 0, "only the administrator can give files away"))
  func `D5: what belongs to somebody else stays`() throws {
    let name = try leaveFolder()
    #expect(chown(folder.path(name), 12_345, 12_345) == 0)
    #expect(try directory.removeAbandoned() == Abandoned())
    #expect(chown(folder.path(name), 0, 0) == 0)
    #expect(try directory.removeAbandoned().count == 1)
  }

  @Test func `a link inside of what goes is not followed`() throws {
    let precious = try directory.subdirectory("precious", create: true)
    try precious.openFile("a", for: .creating(exclusive: true)).write(all: [1])
    let name = try leaveFolder()
    folder.link("\(name)/link", to: folder.path("precious"))
    #expect(try directory.removeAbandoned().count == 1)
    #expect(try directory.names() == ["precious"])
    #expect(try precious.names() == ["a"])
  }

  @Test func `go in pieces, so that nobody waits long`() throws {
    try leaveFolder(files: 10)
    var pieces = 0
    while try directory.removeAbandoned(atMost: 4).hasMore { pieces += 1 }
    #expect(pieces == 2)
    #expect(try directory.names().isEmpty)
  }

  @Test func `what a folder replaces is nobody's to clear away before it is settled`() throws {
    let first = try NewFolder("f", in: directory)
    try first.folder.createDurably("old", contents: [1])
    try first.place()
    try first.settle()
    do {
      let second = try NewFolder("f", in: directory, replacing: true)
      try second.folder.createDurably("new", contents: [2])
      try second.place()
      #expect(try directory.subdirectory("f").names() == ["new"])
      #expect(try directory.removeAbandoned() == Abandoned())
    }
    #expect(try directory.names() == ["f"])
    #expect(try directory.subdirectory("f").names() == ["old"])
  }
}

extension Abandoned {
  fileprivate init(count: Int, bytes: Int64) {
    self.init()
    self.count = count
    self.bytes = bytes
  }
}
