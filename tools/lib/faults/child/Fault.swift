import KeepsakeFaultyCalls
import Foundation

/// One thing that goes wrong with the calls of a piece of work.
struct Fault: Sendable {
  let name: String
  let kinds: Int32
  let error: Int32
  /// How many calls in a row fail.
  var count: Int64 = 1

  static let all: [Fault] = [
    Fault(name: "no descriptor once", kinds: open, error: EMFILE),
    Fault(name: "no descriptor", kinds: open, error: EMFILE, count: .max),
    Fault(name: "opening fails once", kinds: open, error: EIO),
    Fault(name: "writing fails once", kinds: write, error: EIO),
    Fault(name: "writing fails", kinds: write | sync, error: EIO, count: .max),
    Fault(name: "writing is interrupted once", kinds: write, error: EINTR),
    Fault(name: "half is written once", kinds: write, error: Int32(FAULTYCALLS_SHORT)),
    Fault(name: "syncing fails once", kinds: sync, error: EIO),
    Fault(name: "the disk is full at the sync", kinds: sync, error: ENOSPC),
    Fault(name: "the disk is full", kinds: write | names, error: ENOSPC, count: .max),
    Fault(name: "the quota is used up", kinds: write | sync | names, error: EDQUOT, count: .max),
    Fault(name: "naming fails once", kinds: names, error: EIO),
  ]

  private static let open = Int32(FAULTYCALLS_OPEN)
  private static let write = Int32(FAULTYCALLS_WRITE)
  private static let sync = Int32(FAULTYCALLS_SYNC)
  private static let names = Int32(FAULTYCALLS_NAME)

  /// Runs the body while the call after so many fails; gives how many there were of the kinds in question.
  func during(
    _ folder: URL, after: Int64, _ body: () async -> Void
  ) async -> Int64 {
    faultycalls_begin(folder.path, kinds, after, count, error)
    await body()
    return faultycalls_end()
  }
}
