#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Proves that a file system does what a folder must do to be a hub.
///
/// Two processes create one name, of which the second must fail, and eight do so at once, of which one must win. Some network
/// file systems do not keep to that.
struct FolderConditions: Sendable {
  /// The path of the hub, for messages.
  let path: String
  /// Writes a file beside its place, as a hub does, and returns what takes the name: false where something has it.
  var begin: @Sendable (_ name: String, _ content: [UInt8], _ folder: Directory) throws -> Taking =
    Self.beginByLink

  /// Takes the name for a file that was written beside it.
  typealias Taking = @Sendable () throws -> Bool

  private static let contenders = 8

  /// Proves the conditions in a folder of its own, which is removed afterwards.
  /// - Parameter root: The folder of the hub.
  /// - Throws: A ``KeepsakeError`` that says which condition does not hold, or that the folder can't be written to.
  func prove(in root: Directory) throws {
    let place = try NewFolder("proof", in: root)
    let folder = place.folder
    try proveLinks(in: folder)
    try proveOrder(in: folder)
    try proveRace(in: folder)
  }

  /// Without hard links a file can't get its name and be whole in one step.
  private func proveLinks(in folder: Directory) throws {
    try folder.createDurably("source", contents: [1])
    let (source, name) = (folder.path(of: "source"), folder.path(of: "link"))
    do { try FileManager.default.linkItem(atPath: source, toPath: name) } catch {
      throw refusal("its file system has no hard links")
    }
    guard let one = try folder.status("source"), let other = try folder.status("link"),
      one.isSameFile(as: other)
    else { throw refusal("its file system copies a file that is linked") }
    // A second link under a name that is taken must fail.
    if (try? FileManager.default.linkItem(atPath: source, toPath: name)) != nil {
      throw refusal("its file system links a file to a name that is taken")
    }
  }

  private func proveOrder(in folder: Directory) throws {
    // Both are begun while the name is free, so that it is taking it that fails.
    let first = try begin("order", [1], folder)
    let second = try begin("order", [2], folder)
    guard try first(), try !second() else { throw refusal("a name can be taken twice") }
    try check("order", holds: [1], in: folder)
  }

  private func proveRace(in folder: Directory) throws {
    let results = Locked<[Int: Result<Bool, any Error>]>([:])
    let start = Monitor(0)
    let contenders = try (0..<Self.contenders).map { try begin("race", [UInt8($0)], folder) }
    let threads = try contenders.enumerated().map { number, take in
      try WorkerThread(starting: "keepsake.proof") {
        start.withLock { $0 += 1 }
        start.broadcast()
        // All begin at once; a thread that could not be started is waited for only so long.
        _ = start.wait(until: .now.advanced(by: .seconds(1))) {
          $0 == Self.contenders ? () : nil
        }
        let result = Result { try take() }
        results.withLock { $0[number] = result }
      }
    }
    for thread in threads { thread.join() }
    let winners = try results.withLock { $0 }.filter { try $0.value.get() }.keys
    guard winners.count == 1, let winner = winners.first else {
      throw refusal("\(winners.count) of \(Self.contenders) took one name at once")
    }
    try check("race", holds: [UInt8(winner)], in: folder)
  }

  private func check(_ name: String, holds content: [UInt8], in folder: Directory) throws {
    guard try folder.openFile(name).readAll(limit: 16) == content else {
      throw refusal("a name that was taken holds other bytes than its winner's")
    }
  }

  private func refusal(_ reason: String) -> KeepsakeError { .unconditionalHub(path, reason) }

  private static func beginByLink(
    _ name: String, _ content: [UInt8], _ folder: Directory
  ) throws -> Taking {
    let file = try NewFile(name, in: folder)
    try file.write(content)
    return {
      do throws(FileError) {
        try file.finish()
        return true
      } catch {
        guard error.code == .exists else { throw error }
        return false
      }
    }
  }
}
