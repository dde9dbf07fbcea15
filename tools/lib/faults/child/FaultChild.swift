import Foundation
import Keepsake

/// Does each piece of work while each call of the system that it makes fails, in each way, and looks at what is left.
///
///     KeepsakeFaultChild [--most N] [--work NAME] [--fault NAME]
///
/// With `--most`, only so many of the calls of a piece of work fail, spread over all of it. Prints a line for each
/// finding, and how many trials there were.
@main
struct FaultChild {
  static func main() async throws {
    var most = Int64.max
    var works = Work.all
    var faults = Fault.all
    var arguments = CommandLine.arguments.dropFirst()
    while let option = arguments.popFirst() {
      guard let value = arguments.popFirst() else { usage() }
      switch option {
      case "--most": most = Int64(value) ?? most
      case "--work": works.removeAll { $0.name != value }
      case "--fault": faults.removeAll { $0.name != value }
      default: usage()
      }
    }
    let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let folder = temporary.appending(path: "faults-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let material = try await Material(in: folder)
    var trials = 0
    var findings: [String: Int] = [:]
    for work in works {
      for fault in faults {
        func trial(after: Int64) async throws -> Int64 {
          let place = folder.appending(path: "\(trials)")
          let trial = try Trial(material, in: place)
          let calls = try await trial.run(work, fault, after: after)
          for finding in trial.findings {
            findings["\(work.name), \(fault.name): \(finding)", default: 0] += 1
          }
          try FileManager.default.removeItem(at: place)
          trials += 1
          return calls
        }
        let calls = try await trial(after: .max / 2)
        let step = max(1, calls / max(1, most))
        for after in stride(from: 0, to: calls, by: Int(step)) {
          _ = try await trial(after: after)
        }
      }
    }
    for (finding, count) in findings.sorted(by: { $0.key < $1.key }) {
      print("\(count) times \(finding)")
    }
    print("trials \(trials), findings \(findings.count)")
  }

  private static func usage() -> Never {
    FileHandle.standardError.write(
      Data("usage: KeepsakeFaultChild [--most N] [--work NAME] [--fault NAME]\n".utf8))
    exit(64)
  }
}
