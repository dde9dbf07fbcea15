import KeepsakeFiles

/// The links of a session from all of its rows, which are sorted, checked for gaps, and folded into a chain.
struct LinkLedger {
  /// The place where a link was found.
  enum Origin: UInt8 {
    case entry, attachment, invocation, source
    /// The table `change`, because the row has a newer link.
    case archive
  }

  struct Link {
    let number: Int
    let operation: Int
    let position: Int
    let digest: SHA256Digest
    let origin: Origin
  }

  private(set) var links: [Link] = []
  /// The number of links before the first gap.
  private(set) var dense = 0

  mutating func add(_ link: Link) { links.append(link) }

  /// Sorts the links, and returns sentences about gaps and doubles.
  mutating func order() -> [String] {
    links.sort { $0.number < $1.number }
    var faults: [String] = []
    var expected = 1
    for link in links {
      if link.number < expected {
        faults.append("Change \(link.number) is there more than once.")
      } else {
        if link.number > expected {
          faults.append(
            link.number == expected + 1
              ? "Change \(expected) is missing."
              : "The changes \(expected) to \(link.number - 1) are missing.")
        }
        expected = link.number == .max ? .max : link.number + 1
      }
    }
    dense = links.enumerated().first { $0.element.number != $0.offset + 1 }?.offset ?? links.count
    return faults
  }

  /// Returns the link with a number, after the links were sorted.
  func link(_ number: Int) -> Link? {
    number >= 1 && number <= dense ? links[number - 1] : nil
  }

  /// Folds the links before the first gap onto a chain; returns its end, and the heads after some numbers of changes.
  func fold(onto beginning: Chain, marking numbers: Set<Int>) -> (
    end: Chain, heads: [Int: SHA256Digest]
  ) {
    var chain = beginning
    var heads: [Int: SHA256Digest] = [:]
    if numbers.contains(0) { heads[0] = chain.head }
    for link in links[..<dense] {
      chain.add(code: link.operation, position: link.position, digest: link.digest)
      if numbers.contains(chain.count) { heads[chain.count] = chain.head }
    }
    return (chain, heads)
  }
}
