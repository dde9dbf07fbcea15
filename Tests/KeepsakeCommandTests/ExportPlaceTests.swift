import KeepsakeFiles
import Foundation
import Keepsake
import Testing

@testable import KeepsakeCommand

/// What an export meets at the place that it is to go to.
@Suite("Where an export goes")
struct ExportPlaceTests {
  /// A store whose session has an artifact of so many bytes.
  private func store(holding size: Int) async throws -> FruitStore {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
      var prompt = Entry.prompt("")
      prompt.segments.append(.attachment(0))
      try await store.session(fruit.session).append(
        prompt, attaching: [.init(.data(bytes), mediaType: .png)])
    }
    return fruit
  }

  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test func `an existing file is replaced only with --force`() async throws {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let path = folder.path("a.json")
    try Data("mine".utf8).write(to: URL(filePath: path))
    let refused = await fruit.run("export", "last", "-o", path)
    #expect(refused.code == .failed)
    #expect(refused.error.contains("'\(path)' is there already. Replace it with --force"))
    #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    #expect(await fruit.run("export", "last", "-o", path, "--force").code == .done)
    #expect(try JSON(validating: Array(Data(contentsOf: URL(filePath: path)))).members != nil)
    #expect(try names(folder) == ["a.json"])
  }

  @Test func `a link is not followed and not replaced, nor is a device`() async throws {
    let fruit = try await FruitStore()
    let folder = try TemporaryFolder()
    let real = folder.path("real.json")
    let link = folder.path("link.json")
    try Data("mine".utf8).write(to: URL(filePath: real))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
    for arguments in [["-o", link], ["-o", link, "--force"], ["-o", "/dev/full", "--force"]] {
      let run = await CommandRun(
        list: ["export", "last"] + arguments, environment: ["KEEPSAKE_STORE": fruit.path])
      #expect(run.code == .failed, "\(arguments)")
    }
    #expect(FileManager.default.contents(atPath: real) == Data("mine".utf8))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == real)
    #expect(try names(folder) == ["link.json", "real.json"])
    // A folder that a link leads to is the folder that was named.
    let place = folder.path("place")
    try FileManager.default.createDirectory(
      atPath: folder.path("real"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place, withDestinationPath: folder.path("real"))
    #expect(await fruit.run("export", "last", "-o", place).code == .done)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("real")).count == 1)
  }

  @Test(.enabled(if: BuiltProgram.isBuilt))
  func `a full device at the other end is a failure that is told`() async throws {
    let fruit = try await FruitStore()
    let run = try BuiltProgram.bash(#""$1" --store "$2" export last > /dev/full"#, fruit.path)
    #expect(run.status == 1)
    #expect(run.error.contains("no space left"))
  }

  @Test(.enabled(if: BuiltProgram.isBuilt))
  func `a reader that has seen enough ends an export quietly`() async throws {
    let fruit = try await store(holding: 400_000)
    let run = try BuiltProgram.bash(
      #""$1" --store "$2" export last | head -c 20; echo " ${PIPESTATUS[0]}""#, fruit.path)
    #expect(run.output == #"{"keepsake":"transcr 0"# + "\n")
    #expect(run.error.isEmpty)
  }

  @Test(.enabled(if: BuiltProgram.isBuilt))
  func `a disk that takes no more leaves no half file`() async throws {
    let fruit = try await store(holding: 400_000)
    let folder = try TemporaryFolder()
    for format in ["apple", "markdown"] {
      // A limit for files does what a full disk does, and any user may set one.
      let run = try BuiltProgram.bash(
        #"trap '' XFSZ; ulimit -f 100; "$1" --store "$2" export last --format "$3" -o "$4/a""#,
        fruit.path, format, folder.url.path)
      #expect(run.status == 1, "\(format): \(run.error)")
      #expect(run.error.contains("too large"), "\(run.error)")
      #expect(try names(folder).isEmpty, "\(format)")
    }
  }

  @Test(.enabled(if: BuiltProgram.isBuilt))
  func `an interrupt in the middle leaves no half file`() async throws {
    let fruit = try await store(holding: 12_000_000)
    let folder = try TemporaryFolder()
    let run = try BuiltProgram.python(
      """
      import os, signal, subprocess, sys, time
      program, store, folder = sys.argv[1:]
      signal.pthread_sigmask(signal.SIG_UNBLOCK, signal.valid_signals())
      export = subprocess.Popen([program, "--store", store, "export", "last", "-o", folder + "/a"])
      while not os.listdir(folder) and export.poll() is None: time.sleep(0.001)
      export.send_signal(signal.SIGINT)
      print(export.wait())
      """, fruit.path, folder.url.path)
    let left = try names(folder)
    // A machine that is slow enough may see it done, and then it is whole.
    #expect(run.output == "130\n" && left.isEmpty || left == ["a"], "\(run) \(left)")
    if left == ["a"] {
      #expect(
        try JSON(validating: Array(Data(contentsOf: folder.url.appending(path: "a")))).members
          != nil)
    }
  }

  @Test func `an export that is stopped after a file keeps that, and begins no other`() async throws
  {
    let fruit = try await FruitStore()
    try await fruit.change { store in
      for _ in 0..<3 { try await store.createSession(title: "More").append(.prompt("hello")) }
    }
    let folder = try TemporaryFolder()
    let work = Locked<Task<ExitCode, Never>?>(nil)
    let error = Locked("")
    let terminal = Terminal(
      showsProgress: true, output: { _ in },
      error: { text in
        error.withLock { $0 += text }
        guard text.contains("1 of 4") else { return }
        work.withLock { $0 }?.cancel()
      })
    let program = Program(terminal: terminal, environment: ["KEEPSAKE_STORE": fruit.path])
    let out = folder.path("out")
    let (begin, beginning) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for await _ in begin {}
      return await program.run(["export", "--all", "--format", "apple", "-o", out])
    }
    work.withLock { $0 = task }
    beginning.finish()
    #expect(await task.value == .failed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: out).count == 1)
    #expect(error.withLock { $0 }.contains("Stopped before it was done."))
  }
}
