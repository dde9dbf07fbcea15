#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The links of a session's chain that a commit has, each of which stands in the row that its change wrote, or in `change`.
struct CommitLinks {
  private var links: [Int: ChainLink] = [:]

  /// Collects the links that are newer than the chain which the commit builds on.
  init(of commit: SessionCommit, after base: Chain) throws {
    for (index, link) in (commit.links ?? []).enumerated() {
      links[(commit.base?.count ?? 0) + 1 + index] = link
    }
    for record in commit.records {
      guard let (number, position) = record.link, number > base.count else { continue }
      let digest = record.bytes(record.kind == .change ? "digest" : "chain.digest")
      guard let digest = digest.flatMap(SHA256Digest.init(bytes:)),
        let operation = record.int(record.kind == .change ? "operation" : "chain.operation"),
        links.updateValue(
          .init(operation: operation, position: position, digest: digest), forKey: number) == nil
      else { throw CopyFault("it says change \(number) of session \(commit.session) twice") }
    }
  }

  /// Returns the links in the order of their changes, of which the first follows a chain.
  func inOrder(after base: Chain, of session: UUID) throws -> [ChainLink] {
    try ((base.count + 1)..<(base.count + 1 + links.count)).map { number in
      guard let link = links[number] else {
        throw CopyFault("change \(number) of session \(session) is missing")
      }
      return link
    }
  }

  /// Returns the chain to which the links lead, or the first ones up to a change.
  func fold(onto base: Chain, of session: UUID, upTo change: Int = .max) throws -> Chain {
    var chain = base
    for link in try inOrder(after: base, of: session).prefix(max(0, change - base.count)) {
      chain.add(code: link.operation, position: link.position, digest: link.digest)
    }
    return chain
  }
}

extension CopyRecord {
  /// The number of the change whose link the record has, and the position that the link names; nil for a record without a link.
  var link: (change: Int, position: Int)? {
    let place: (change: Int?, position: Int?)
    switch kind {
    case .entry: place = (int("chain.change"), int("position"))
    case .attachment, .invocation, .source: place = (int("chain.change"), int("chain.recorded"))
    case .change: place = (int("number"), int("position"))
    default: return nil
    }
    guard let change = place.change, let position = place.position else { return nil }
    return (change, position)
  }
}
