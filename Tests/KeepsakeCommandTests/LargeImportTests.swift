import Foundation
import Testing

@testable import KeepsakeFormats

@Suite("What importing large files takes", .enabled(if: BuiltProgram.isBuilt))
struct LargeImportTests {
  /// A file that ends with so many zeros: with nothing else, where a program looks into it.
  enum Kind: CaseIterable {
    case bundle, document

    /// The smaller number of zeros.
    var size: Int64 { self == .bundle ? 8 << 20 : 3 << 20 }

    func beginning(_ zeros: Int64) -> [UInt8] {
      if self == .document { return Array(#"{"keepsake":"transcript","version":1,"x":""#.utf8) }
      let manifest = Array(
        #"{"keepsake":"bundle","version":1,"recordings":0,"hasBytes":true,"sessions":[],"artifacts":[]}"#
          .utf8)
      let size = Int64(manifest.count + 1)
      return TarHeader(name: BundleName.manifest, size: size).bytes + manifest + [0x0A]
        + [UInt8](repeating: 0, count: TarHeader.padding(after: size))
        + TarHeader(name: BundleName.records(1), size: zeros).bytes
    }
  }

  /// The most memory that an import ever held; it is refused when the file was read to its end.
  private func memory(_ kind: Kind, zeros: Int64, in folder: TemporaryFolder) throws -> Int {
    let beginning = kind.beginning(zeros)
    let file = URL(filePath: folder.path("\(zeros)"))
    try Data(beginning).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: UInt64(Int64(beginning.count) + zeros + 1024))
    try handle.close()
    let run = try BuiltProgram.python(
      """
      import resource, subprocess, sys
      program, file, store = sys.argv[1:]
      run = subprocess.run([program, "import", file, "--store", store], stdout=sys.stderr)
      print(run.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """, file.path, folder.path("Chats.keepsake"))
    let numbers = run.output.split(separator: " ").compactMap {
      Int($0.trimmingCharacters(in: .newlines))
    }
    try #require(numbers.count == 2, "\(run.output)\(run.error)")
    #expect(numbers[0] == 1)
    #expect(run.error.contains("Nothing was taken over"), "\(run.error)")
    return numbers[1]
  }

  @Test(arguments: Kind.allCases)
  func `E2: an import of 32 times as many zeros takes no more memory`(kind: Kind) throws {
    let folder = try TemporaryFolder()
    let small = try memory(kind, zeros: kind.size, in: folder)
    let large = try memory(kind, zeros: 32 * kind.size, in: folder)
    #expect(large < 2 * small, "\(small) \(large)")
  }
}
