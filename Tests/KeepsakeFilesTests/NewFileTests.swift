import KeepsakeFiles
import Testing

@Suite("Files that are seen when they are whole")
struct NewFileTests {
  @Test func `nothing is seen of a file before it is finished, nor when it is given up`() throws {
    let folder = try TemporaryFolder()
    let directory = folder.directory
    do {
      let file = try NewFile("a", in: directory)
      try file.write([1, 2])
      #expect(try !directory.exists("a"))
    }
    #expect(try directory.names().isEmpty)
    let file = try NewFile("a", in: directory)
    try file.write([1, 2])
    try file.write([3])
    try file.finish()
    #expect(try directory.names() == ["a"])
    #expect(try directory.openFile("a").readAll(limit: 10) == [1, 2, 3])
  }

  @Test func `a folder is not replaced by a file, and a name that is free is taken once`() throws {
    let folder = try TemporaryFolder()
    let directory = folder.directory
    _ = try directory.subdirectory("f", create: true)
    try directory.createDurably("a", contents: [1])
    try directory.createDurably("b", contents: [2])
    let error = fileError { () throws(FileError) in
      _ = try NewFile("f", in: directory, replacing: true)
    }
    #expect(error?.code == .notRegular)
    let taken = fileError { () throws(FileError) in try directory.rename("a", asFree: "b") }
    #expect(taken?.code == .exists)
    #expect(try directory.openFile("b").readAll(limit: 10) == [2])
    try directory.rename("a", asFree: "c")
    #expect(try directory.names() == ["b", "c", "f"])
  }

  @Test func `a name that is taken is refused at the beginning and at the end`() throws {
    let folder = try TemporaryFolder()
    let directory = folder.directory
    let slow = try NewFile("a", in: directory)
    let quick = try NewFile("a", in: directory)
    try quick.finish()
    #expect(fileError { () throws(FileError) in try slow.finish() }?.code == .exists)
    let refused = fileError { () throws(FileError) in _ = try NewFile("a", in: directory) }
    #expect(refused?.code == .exists)
    let other = try NewFile("a", in: directory, replacing: true)
    try other.write([7])
    try other.finish()
    // What was refused left nothing but the one that is still held.
    #expect(try directory.names().count { $0.hasPrefix(".keepsake-new-") } == 1)
    #expect(try directory.openFile("a").readAll(limit: 10) == [7])
  }
}
