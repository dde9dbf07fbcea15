#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The links of a session's chain that a commit has, each of which stands in the row that its change wrote, or in `change`.
struct CommitLinks {
  /// The links, each with the number of its change. The numbers grow, and none comes twice.
  private let links: [(number: Int, link: ChainLink)]

  /// Collects the links that are newer than the chain which the commit builds on.
  init(of commit: SessionCommit, after base: Chain) throws {
    let first = (commit.base?.count ?? 0) + 1
    var links = (commit.links ?? []).enumerated().map {
      (number: first + $0.offset, link: $0.element)
    }
    for record in commit.records {
      guard let number = record.link?.change, number > base.count else { continue }
      guard let link = record.chainLink else {
        throw CopyFault("it does not say all of change \(number) of session \(commit.session)")
      }
      links.append((number, link))
    }
    links.sort { $0.number < $1.number }
    if let twice = zip(links, links.dropFirst()).first(where: { $0.number == $1.number })?.0 {
      throw CopyFault("it says change \(twice.number) of session \(commit.session) twice")
    }
    self.links = links
  }

  /// Returns the links in the order of their changes, of which the first follows a chain.
  func inOrder(after base: Chain, of session: UUID) throws -> [ChainLink] {
    try zip((base.count + 1)..., links).map { number, link in
      guard link.number == number else {
        throw CopyFault("change \(number) of session \(session) is missing")
      }
      return link.link
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

extension SessionCommit {
  /// Throws if the commit's links do not lead to the chain with which the session ends, as the commit says.
  func requireLinks() throws {
    guard let end else { return }
    let base = try beginning()
    guard try CommitLinks(of: self, after: base).fold(onto: base, of: session) == end else {
      throw CopyFault("the changes of session \(session) lead to another head than it promises")
    }
  }
}

extension CopyRecord {
  /// The number of the change whose link the record has, and the position that the link names; nil for a record without a link.
  var link: (change: Int, position: Int)? {
    guard let columns = kind.linkColumns, let change = int(at: columns.change),
      let position = int(at: columns.position)
    else { return nil }
    return (change, position)
  }

  /// The link that the record has; nil if it has none, or not all of it.
  var chainLink: ChainLink? {
    guard let columns = kind.linkColumns, let position = int(at: columns.position),
      let operation = int(at: columns.operation), case .blob(let bytes) = values[columns.digest],
      let digest = SHA256Digest(bytes: bytes)
    else { return nil }
    return ChainLink(operation: operation, position: position, digest: digest)
  }
}
