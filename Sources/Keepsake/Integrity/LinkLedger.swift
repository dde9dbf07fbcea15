import Files

/// The links of one session as its rows hold them: put in order, checked to be dense, and folded.
struct LinkLedger {
  /// Where a link was found.
  enum Origin: UInt8 {
    case entry, attachment, invocation
    /// In `change`: its row has a newer link.
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
  /// How many of the first links follow each other without a gap.
  private(set) var dense = 0

  mutating func add(_ link: Link) { links.append(link) }

  /// Sorts the links; gives what is wrong with their numbers, in sentences.
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

  /// The link with a number, once they are in order and dense.
  func link(_ number: Int) -> Link? {
    number >= 1 && number <= dense ? links[number - 1] : nil
  }

  /// Folds the dense links onto the chain's beginning; gives its end, and the heads at some numbers on the way.
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

extension LinkLedger {
  /// Whether each attachment's and invocation's row can hold the newest of its links.
  ///
  /// A link in `change` does not say whose it was, but a later link took its place, and what hangs on an entry stays
  /// there. Going back from the newest, each row that was written again opens a sequence, each first link closes one, and
  /// what lies between needs one that is open. So a row that was put back to an earlier state shows, unless another one
  /// of the same entry was written again later.
  var isEverySequenceOpenedByItsNewest: Bool {
    var attachments = 0
    var invocations = 0
    var attachmentsAt: [Int: Int] = [:]
    for link in links[..<dense].reversed() {
      let operation = Chain.Operation(rawValue: link.operation)
      let isBound = link.position >= 0
      switch (link.origin, operation) {
      case (.entry, _), (.attachment, .attach), (.invocation, .invoke): continue
      case (.attachment, _):
        attachments += 1
        attachmentsAt[link.position, default: 0] += 1
      case (.invocation, _): invocations += 1
      case (.archive, .attach), (.archive, .settle), (.archive, .bind), (.archive, .caption):
        let open = isBound ? attachmentsAt[link.position, default: 0] : attachments
        guard open > 0 || (operation == .bind && !isBound && invocations > 0) else { return false }
        guard operation == .attach else { continue }
        attachments -= 1
        if isBound { attachmentsAt[link.position, default: 0] -= 1 }
      case (.archive, .invoke), (.archive, .conclude):
        guard invocations > 0 else { return false }
        if operation == .invoke { invocations -= 1 }
      // An entry's, which are checked by position; or, where content was erased, anybody's.
      case (.archive, _): continue
      }
    }
    return attachments == 0 && invocations == 0
  }

  /// Whether rows in the order of recording have their first links in that order too.
  func isInOrder(_ changes: [(change: Int, operation: Int)], beginningWith first: Chain.Operation)
    -> Bool
  {
    let firsts = links[..<dense].filter { $0.operation == first.rawValue }
    guard firsts.count == changes.count else { return false }
    return zip(firsts, changes).allSatisfy { link, row in
      row.operation == first.rawValue ? row.change == link.number : row.change > link.number
    }
  }
}
