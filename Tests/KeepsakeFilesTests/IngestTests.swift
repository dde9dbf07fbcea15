import Testing

@testable import KeepsakeFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite struct `Taking in a file` {
  let temporary: TemporaryFolder
  var folder: Directory { temporary.directory }

  init() throws { temporary = try TemporaryFolder() }

  /// Bytes that no piece repeats, so that pieces in a wrong order show.
  private static let all: [UInt8] = {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    var words = [UInt64](repeating: 0, count: 20_971_520 / 8)
    for index in words.indices {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      words[index] = state
    }
    return words.withUnsafeBytes { Array($0) }
  }()

  static func bytes(_ count: Int) -> [UInt8] { Array(all[..<count]) }

  static let sizes: [Int] = [
    0, 1, 4095, 4096, 4097, 262_143, 262_144, 262_145, 4_194_303, 4_194_304, 4_194_305, 9_000_001,
    20_971_520,
  ]

  @Test(arguments: sizes)
  func `copies every byte, and hashes as sha256sum does`(size: Int) throws {
    let contents = Self.bytes(size)
    let path = try temporary.write("source", contents)
    let source = try FileDescriptor(opening: path)
    let result = try Ingest.copy(from: source, to: folder, name: "copy")
    #expect(result.size == Int64(size))
    #expect(result.digest == SHA256.digest(of: contents))
    #expect(result.head == Array(contents.prefix(4096)))
    #expect(try temporary.read("copy") == contents)
    #expect(try folder.status("copy")?.mode == 0o400)
    let hashed = try Ingest.hash(source)
    #expect(hashed.digest == result.digest)
    #expect(hashed.size == result.size)
    #if os(Linux)
      let sum = try run(["/usr/bin/sha256sum", path], output: temporary.path("sum"))
      #expect(sum.text.hasPrefix(result.digest.hex))
    #endif
  }

  @Test(arguments: [1, 1000, 262_144, 300_000, 5_000_000])
  func `takes chunks of any size`(chunk: Int) throws {
    let contents = Self.bytes(chunk == 1 ? 300_000 : 9_000_001)
    var writer = try IngestWriter(directory: folder, name: "copy")
    for start in stride(from: 0, to: contents.count, by: chunk) {
      try writer.write(Array(contents[start..<min(start + chunk, contents.count)]))
    }
    #expect(writer.size == Int64(contents.count))
    let result = try writer.finish()
    #expect(result.size == Int64(contents.count))
    #expect(result.digest == SHA256.digest(of: contents))
    #expect(result.head == Array(contents.prefix(4096)))
    #expect(try temporary.read("copy") == contents)
  }

  @Test(arguments: [0, 100, 9_000_000])
  func `leaves nothing when it is given up`(size: Int) throws {
    do {
      var writer = try IngestWriter(directory: folder, name: "copy")
      try writer.write(Self.bytes(size))
      #expect(try folder.names() == ["copy"])
    }
    #expect(try folder.names() == [])
  }

  @Test(arguments: [(100, 99), (4096, 0), (300_000, 299_999), (9_000_000, 8_999_999)])
  func `refuses more than the limit and leaves nothing`(size: Int, limit: Int) throws {
    let source = try FileDescriptor(opening: temporary.write("source", Self.bytes(size)))
    let error = fileError { () throws(FileError) in
      _ = try Ingest.copy(from: source, to: folder, name: "copy", limit: Int64(limit))
    }
    #expect(error?.code == .tooLarge)
    let chunked = fileError { () throws(FileError) in
      var writer = try IngestWriter(directory: folder, name: "copy", limit: Int64(limit))
      try writer.write(Self.bytes(size))
      _ = try writer.finish()
    }
    #expect(chunked?.code == .tooLarge)
    #expect(try folder.names() == ["source"])
    let fits = try Ingest.copy(from: source, to: folder, name: "copy", limit: Int64(size))
    #expect(fits.size == Int64(size))
  }

  @Test func `never replaces a file, nor removes one that it didn't make`() throws {
    try temporary.write("copy", [7])
    let source = try FileDescriptor(opening: temporary.write("source", [1]))
    let error = fileError { () throws(FileError) in
      _ = try Ingest.copy(from: source, to: folder, name: "copy")
    }
    #expect(error?.code == .exists)
    #expect(try temporary.read("copy") == [7])
  }

  @Test func `takes a pipe whose length nobody knows`() throws {
    let contents = Self.bytes(6_000_000)
    temporary.pipe("pipe")
    let path = temporary.path("pipe")
    let failure = Locked<String?>(nil)
    let feeder = WorkerThread(name: "feeder") {
      do {
        try FileDescriptor(openingAnything: path, for: .readingAndWriting).write(all: contents)
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
    }
    let source = try FileDescriptor(openingAnything: path)
    let result = try Ingest.copy(from: source, to: folder, name: "copy")
    feeder.join()
    #expect(failure.withLock { $0 } == nil)
    #expect(result.digest == SHA256.digest(of: contents))
    #expect(try temporary.read("copy") == contents)
  }

  @Test func `refuses a source that changes meanwhile and leaves nothing`() throws {
    let path = try temporary.write("source", Self.bytes(8_000_000))
    let stop = Locked(false)
    let started = Monitor(0)
    let writer = WorkerThread(name: "writer") {
      do {
        let file = try FileDescriptor(openingAnything: path, for: .readingAndWriting)
        var size: Int64 = 8_000_000
        while !stop.withLock({ $0 }) {
          if size == 16_000_000 {
            size = 8_000_000
            try file.setSize(size)
          }
          try file.write(all: [1], at: size)
          size += 1
          started.withLock { $0 += 1 }
          started.signal()
        }
      } catch {
        started.withLock { $0 = .max }
        started.signal()
      }
    }
    #expect(started.wait { $0 > 0 ? true : nil } == true)
    let source = try FileDescriptor(opening: path)
    // The writer may sleep through a copy, on a busy machine through many; it does not sleep through them all.
    let deadline = Instant.now.advanced(by: .seconds(30 * 60))
    var copied: FileError?
    var hashed: FileError?
    while copied == nil || hashed == nil, Instant.now < deadline {
      copied =
        copied
        ?? fileError { () throws(FileError) in
          _ = try Ingest.copy(from: source, to: folder, name: "copy")
          try folder.unlink("copy")
        }
      hashed = hashed ?? fileError { () throws(FileError) in _ = try Ingest.hash(source) }
    }
    stop.withLock { $0 = true }
    writer.join()
    #expect(copied?.code == .changed)
    #expect(hashed?.code == .changed)
    #expect(try folder.names() == ["source"])
  }

  @Test func `takes a file for changed by its size, its time, or its place on the disk`() throws {
    let file = try FileDescriptor(
      openingAnything: temporary.write("a", [1]), for: .readingAndWriting)
    func setTime(_ seconds: Int) {
      let time = timespec(tv_sec: seconds, tv_nsec: 0)
      _ = [time, time].withUnsafeBufferPointer { futimens(file.raw, $0.baseAddress) }
    }
    setTime(1000)
    let before = try file.status()
    try file.setMode(0o644)
    #expect(try file.status().hasSameContents(as: before))
    setTime(1001)
    #expect(try !file.status().hasSameContents(as: before))
    try file.setSize(2)
    setTime(1000)
    #expect(try !file.status().hasSameContents(as: before))
    try file.setSize(1)
    setTime(1000)
    #expect(try file.status().hasSameContents(as: before))
    try temporary.write("b", [1])
    let other = try #require(try folder.status("b"))
    #expect(!other.hasSameContents(as: before))
  }
}
