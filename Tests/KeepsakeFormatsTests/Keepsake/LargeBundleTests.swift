import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeTestSupport
import Testing

@testable import KeepsakeFormats

@Suite("Bundles that claim much, or have much of nothing")
struct LargeBundleTests {
  /// What four times as much may cost at most: linear is 4, a square is 16.
  private static let limit = 5.5

  /// A bundle with so many members, as a manifest may promise them, of artifacts that nothing uses.
  private static func manyArtifacts(_ count: Int) -> [UInt8] {
    let contents = (0..<count).map { Array("\($0)".utf8) }
    let artifacts = contents.map { (id: Artifact.ID(SHA256.digest(of: $0)), bytes: $0) }
      .sorted { $0.id < $1.id }
    let list = artifacts.map { #"{"artifact":"\#($0.id)","size":\#($0.bytes.count)}"# }
    return HostileCopyTests.bundle(
      [(BundleName.manifest, manifest(artifacts: list))]
        + artifacts.map { (BundleName.artifact($0.id), $0.bytes) } + [(BundleName.end, [])])
  }

  /// A bundle of so many members without a record.
  private static func manyParts(_ count: Int) -> [UInt8] {
    HostileCopyTests.bundle(
      [(BundleName.manifest, manifest())]
        + (1...count).map { (BundleName.records($0), Array("[\n\n]\n".utf8)) }
        + [(BundleName.end, [])])
  }

  private static func manifest(artifacts: [String] = []) -> [UInt8] {
    Array(
      (#"{"keepsake":"bundle","version":1,"recordings":0,"hasBytes":true,"sessions":[],"#
        + #""artifacts":[\#(artifacts.joined(separator: ","))]}"# + "\n").utf8)
  }

  /// What there are many of.
  enum Members: CaseIterable {
    case artifacts, parts

    func bundle(_ count: Int) -> [UInt8] {
      self == .artifacts ? manyArtifacts(count) : manyParts(count)
    }
  }

  @Test(arguments: Members.allCases)
  func `E2: a bundle of many members is read in time that grows with them`(members: Members)
    throws
  {
    let growth = try growth(from: 600, below: Self.limit, preparing: members.bundle) { bytes in
      let index = try BundleIndex(ForeignFile(bytes, name: "many.tar"))
      #expect(max(index.records.count, index.bytes.count) >= 600)
    }
    #expect(growth < Self.limit, "\(growth)")
  }

  @Test(arguments: Members.allCases)
  func `E2: thousands of members that belong to nothing are refused, and none of them is here`(
    members: Members
  ) async throws {
    try await withStore { store, folder in
      let error = await #expect(throws: FormatError.self) {
        try await store.importing(members.bundle(3000), in: folder)
      }
      #expect(error?.message.contains("Nothing was taken over") == true)
      try await HostileCopyTests.expectNothing(in: store)
      #expect(try Self.incoming(in: store) == [])
    }
  }

  /// Files that a store is taking in.
  static func incoming(in store: Store) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: store.url.appending(path: "incoming").path
    ).filter { !$0.hasPrefix("alive-") }
  }

  /// How much of nothing a file has. It takes no room on the disk.
  private static let size: Int64 = 64 << 30

  /// Writes a bundle up to a member of zeros, of which only the header is there.
  private static func sparse(_ name: String, in folder: URL) throws -> URL {
    let zeros = Artifact.ID(SHA256.digest(of: []))
    let manifest = manifest(artifacts: [#"{"artifact":"\#(zeros)","size":\#(size)}"#])
    var bytes: [UInt8] = []
    if name != BundleName.manifest {
      bytes = HostileCopyTests.bundle([(BundleName.manifest, manifest), (BundleName.end, [])])
      let length = Int64(manifest.count)
      bytes = Array(bytes.prefix(512 + manifest.count + TarHeader.padding(after: length)))
    }
    let member = name == "artifact" ? BundleName.artifact(zeros) : name
    bytes += TarHeader(name: member, size: size).bytes
    let file = folder.appending(path: "sparse.tar")
    try Data(bytes).write(to: file)
    try lengthen(file, to: size + 65_536)
    return file
  }

  private static func lengthen(_ file: URL, to size: Int64) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: UInt64(size))
    try handle.close()
  }

  @Test(arguments: [BundleName.manifest, BundleName.end, "records/000002.json", "zeros"])
  func `E2: a member of 64 GB that does not belong there is refused before its bytes are read`(
    name: String
  ) async throws {
    try await withStore { store, folder in
      let file = try Self.sparse(name, in: folder)
      let error = await #expect(throws: FormatError.self) { try await store.importFile(at: file) }
      #expect(error?.code == .malformed)
      try await HostileCopyTests.expectNothing(in: store)
      #expect(try Self.incoming(in: store) == [])
    }
  }

  /// Begins to import a file, and cancels that while the file is being read.
  private static func expectCancelled(_ file: URL, _ format: String, by store: Store) async throws {
    // The file is read without a pause: on a thread of its own it keeps nobody from cancelling.
    let importing = Task(executorPreference: OwnThread()) {
      try await store.importFile(at: file, format: format)
    }
    try await Task.sleep(for: .milliseconds(100))
    importing.cancel()
    await #expect(throws: CancellationError.self) { try await importing.value }
    try await HostileCopyTests.expectNothing(in: store)
    #expect(try incoming(in: store) == [])
  }

  @Test(arguments: [BundleName.records(1), "artifact"])
  func `E2: reading a member of 64 GB can be cancelled`(name: String) async throws {
    try await withStore { store, folder in
      try await Self.expectCancelled(Self.sparse(name, in: folder), "bundle", by: store)
    }
  }

  @Test func `E2: reading a document of 64 GB can be cancelled`() async throws {
    try await withStore { store, folder in
      let file = folder.appending(path: "sparse.json")
      try Data(#"{"keepsake":"transcript","version":1,"title":""#.utf8).write(to: file)
      try Self.lengthen(file, to: Self.size)
      try await Self.expectCancelled(file, "json", by: store)
    }
  }
}
