#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A place in the changes of a hub: a time of its clock, and what was told already of the time shortly before.
struct PostgresMark {
  /// The most sessions that a mark names. Where there are more they are told again.
  private static let most = 1000

  /// The time in microseconds.
  var time: Int64
  /// The versions that were told and may be found again, because the next answer looks back.
  var seen: [UUID: Int64] = [:]

  init(time: Int64) { self.time = time }

  /// Reads a mark; nil for one that this kind of hub did not give.
  init?(_ mark: HubMark) {
    let lines = mark.text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, let time = Int64(first), time >= 0 else { return nil }
    self.init(time: time)
    for line in lines.dropFirst() {
      let words = line.split(separator: " ")
      guard words.count == 2, let session = UUID(text: String(words[0])),
        let version = Int64(words[1])
      else { return nil }
      seen[session] = version
    }
  }

  var mark: HubMark {
    let kept = seen.count > Self.most ? [:] : seen
    let lines = kept.map { "\($0.key) \($0.value)" }.sorted()
    return HubMark(text: (["\(time)"] + lines).joined(separator: "\n"))
  }
}
