import KeepsakeFiles
import Testing

@Suite("Folders that are seen when they are whole")
struct NewFolderTests {
  private func put(_ text: String, into folder: NewFolder) throws {
    try folder.folder.createDurably("a", contents: Array(text.utf8))
  }

  private func text(_ folder: TemporaryFolder) throws -> String {
    let bytes = try folder.directory.subdirectory("f").openFile("a").readAll(limit: 10)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `nothing is seen of a folder before it is placed, nor when it is given up`() throws {
    let folder = try TemporaryFolder()
    do {
      let new = try NewFolder("f", in: folder.directory)
      try put("1", into: new)
      #expect(try !folder.directory.exists("f"))
    }
    #expect(try folder.directory.names().isEmpty)
    let new = try NewFolder("f", in: folder.directory)
    try put("2", into: new)
    try new.place()
    try new.settle()
    #expect(try folder.directory.names() == ["f"])
    #expect(try text(folder) == "2")
  }

  @Test func `what it replaced comes back unless it is settled`() throws {
    let folder = try TemporaryFolder()
    let first = try NewFolder("f", in: folder.directory)
    try put("1", into: first)
    try first.place()
    try first.settle()
    do {
      let second = try NewFolder("f", in: folder.directory, replacing: true)
      try put("2", into: second)
      try second.place()
      #expect(try text(folder) == "2")
    }
    #expect(try text(folder) == "1")
    #expect(try folder.directory.names() == ["f"])
    let third = try NewFolder("f", in: folder.directory, replacing: true)
    try put("3", into: third)
    try third.place()
    try third.settle()
    #expect(try text(folder) == "3")
    #expect(try folder.directory.names() == ["f"])
  }

  @Test func `a name that is taken is refused, and a file always`() throws {
    let folder = try TemporaryFolder()
    let slow = try NewFolder("f", in: folder.directory)
    let quick = try NewFolder("f", in: folder.directory)
    try quick.place()
    try quick.settle()
    #expect(fileError { () throws(FileError) in try slow.place() }?.code == .exists)
    try folder.directory.createDurably("file", contents: [])
    let error = fileError { () throws(FileError) in
      _ = try NewFolder("file", in: folder.directory, replacing: true)
    }
    #expect(error?.code == .notDirectory)
  }
}
