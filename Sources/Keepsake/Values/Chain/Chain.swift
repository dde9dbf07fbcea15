import KeepsakeFiles

/// The tamper-evident chain of a session, to which each change adds a link.
///
/// A link is `h_k = SHA-256("keepsake.link.1" ‖ h_{k-1} ‖ k ‖ operation ‖ position ‖ digest)`, with integers as 64 bits
/// in big-endian order. Documentation/Digest.md specifies the canonical bytes, and tools/verify-chain.py computes the
/// same.
struct Chain: Equatable {
  private(set) var head: SHA256Digest
  private(set) var count: Int

  init(head: SHA256Digest, count: Int) {
    self.head = head
    self.count = count
  }

  /// Begins the chain of a new session, from the session's id and the time of its creation.
  init(beginning session: [UInt8], created: Int64) {
    var canonical = Canonical("keepsake.session.1")
    canonical.add(bytes: session)
    canonical.add(created)
    self.init(head: canonical.digest, count: 0)
  }

  /// Begins the chain of a fork, from the fork's id, and from the link of its parent at which it forked.
  init(forking parent: Chain, at position: Int, into session: [UInt8], created: Int64) {
    var canonical = Canonical("keepsake.fork.1")
    canonical.add(bytes: session)
    canonical.add(created)
    canonical.add(Int64(position))
    canonical.add(Int64(parent.count))
    canonical.add(parent.head)
    self.init(head: canonical.digest, count: 0)
  }

  /// Adds a link and returns its number.
  @discardableResult
  mutating func add(_ operation: Operation, position: Int, digest: SHA256Digest) -> Int {
    add(code: operation.rawValue, position: position, digest: digest)
  }

  /// Adds a stored link, whose operation may be unknown to this version.
  @discardableResult
  mutating func add(code: Int, position: Int, digest: SHA256Digest) -> Int {
    count += 1
    var bytes = [UInt8]()
    bytes.reserveCapacity(103)
    bytes.append(copying: "keepsake.link.1")
    head.withBytes { bytes.append(copying: $0) }
    bytes.append(bigEndian: Int64(count))
    bytes.append(bigEndian: Int64(code))
    bytes.append(bigEndian: Int64(position))
    digest.withBytes { bytes.append(copying: $0) }
    head = SHA256.digest(of: bytes)
    return count
  }
}

extension Chain {
  /// The kind of a change. The numbers are part of the digests of links.
  enum Operation: Int, Sendable {
    case append = 1
    case attach = 2
    case revise = 3
    case redact = 4
    /// The content of an attachment or an invocation was erased.
    case erase = 5
    case fork = 6
    /// An attachment was bound to its entry, or an invocation to its call.
    case bind = 7
    /// A run began.
    case invoke = 8
    /// A run ended.
    case conclude = 9
    /// An attachment's bytes came, or will not come.
    case settle = 10
    /// An entry took over the key that its source has for it.
    case adopt = 11
    /// An attachment was given another caption.
    case caption = 12
    /// An entry's content was erased.
    ///
    /// This differs from `erase`, whose position is the number of an attachment's or an invocation's change, so that
    /// the operation alone tells what a position means.
    case eraseEntry = 13
    /// Entries were imported from a foreign file.
    case take = 14
  }
}
