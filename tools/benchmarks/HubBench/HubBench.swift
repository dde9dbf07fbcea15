import Foundation
import Keepsake
import KeepsakeBenchReport

/// The program behind `tools/bench hub`: stores that meet in a database, against plain C that makes the same calls.
@main
struct HubBench {
  static func main() async {
    await BenchProgram.run("KeepsakeHubBench", usage: HubOptions.usage) {
      try await run(try HubOptions(Array(CommandLine.arguments.dropFirst())))
    }
  }

  private static func run(_ options: HubOptions) async throws -> Bool {
    if let worker = options.worker {
      try await HubWorker.run(worker)
      return true
    }
    let common = options.common
    if common.isHelp {
      print(HubOptions.usage)
      return true
    }
    if common.isList {
      for name in options.isLists ? ListMeasure.allNames : HubMeasure.all.flatMap(\.names) {
        print(name)
      }
      return true
    }
    let shop = try await HubShop(
      try options.address(0), in: URL(filePath: common.folder, directoryHint: .isDirectory),
      isQuick: common.isQuick)
    let isMet: Bool
    do { isMet = try await run(options, in: shop) } catch {
      try await shop.remove()
      throw error
    }
    try await shop.remove()
    return isMet
  }

  private static func run(_ options: HubOptions, in shop: HubShop) async throws -> Bool {
    let common = options.common
    var machine = try await shop.machine()
    if options.isLists {
      machine.append(
        "hubs of \(try options.sessions(0)) and of \(try options.sessions(1)) sessions")
    }
    if !common.isJSON { for line in machine { print(line) } }
    if options.isLists {
      let rows = try await ListMeasure.rows(options, in: shop)
      return try common.show(rows, of: machine)
    }
    let rows = try await common.rows(of: HubMeasure.all) { try await shop.rows(of: $0) }
    return try common.show(rows, of: machine)
  }
}
