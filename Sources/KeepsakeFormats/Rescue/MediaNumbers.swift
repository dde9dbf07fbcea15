#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The numbers of the images and documents in a conversation, by line. They do not change when others become labels.
struct MediaNumbers: Sendable {
  private var numbers: [Int: [Int]] = [:]
  private var counts = (images: 0, documents: 0)

  /// Gives the next image or document its number, in the order of sending.
  mutating func add(isImage: Bool, line: Int) {
    if isImage { counts.images += 1 } else { counts.documents += 1 }
    numbers[line, default: []].append(isImage ? counts.images : counts.documents)
  }

  subscript(line: Int, index: Int) -> Int {
    let known = numbers[line] ?? []
    return known.indices.contains(index) ? known[index] : 0
  }

  /// Removes the images and documents that became labels.
  mutating func remove(in round: RemedyRound) {
    // The last index of a line is removed first, because each removal moves the later ones.
    for (line, index, _) in round.accepted.compactMap(\.label).sorted(by: { $0.index > $1.index }) {
      if numbers[line]?.indices.contains(index) ?? false { numbers[line]?.remove(at: index) }
    }
  }
}
