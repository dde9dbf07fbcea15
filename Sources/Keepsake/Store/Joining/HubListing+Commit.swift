#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension HubListing {
  /// Reads from a commit the facts by which its session is to be found.
  package init(of commit: SessionCommit) {
    self.init(replaced: commit.standsAlone ? .all : .nothing)
    if commit.isRemoval || commit.isOfPurged {
      place = .unlisted
      return
    }
    for record in commit.records { add(record, of: commit.session) }
    guard commit.isWhole,
      let parent = commit.records.first?.bytes("fork.of").flatMap(UUID.init(bytes:)),
      parent != commit.session
    else { return }
    origin = parent
    terms.insert(.fork(of: parent))
    // A fork keeps the terms of what it shares, which its commits don't say, also after its origin was deleted.
    replaced = .tags
  }

  /// Returns the terms of a commit's records. A deleted session has terms, too, if the commit keeps records for its forks.
  static func terms(of commit: SessionCommit) -> Set<HubTerm> {
    var listing = HubListing()
    for record in commit.records { listing.add(record, of: commit.session) }
    return listing.terms
  }

  /// Applies the listing of a later commit of the same session to this one.
  mutating func add(_ next: HubListing) {
    switch next.replaced {
    case .nothing: break
    case .tags: terms = terms.filter { $0.kind != .sessionTag }
    case .all: terms = []
    }
    terms.formUnion(next.terms)
    if next.place != .unchanged { place = next.place }
    origin = next.origin ?? origin
  }

  private mutating func add(_ record: CopyRecord, of session: UUID) {
    switch record.kind {
    case .session: add(description: record, of: session)
    case .standing:
      if let updated = record.integer("updated") { place = .listed(updated: updated) }
      add(.model, record.text("model"))
    case .entry:
      var entry = Entry(.unknown)
      if let body = record.bytes("body") {
        _ = try? EntryBody.decode(body.span.bytes, into: &entry)
      }
      for tag in entry.tags { add(.tag, tag) }
      let calls = entry.toolCalls + ((try? record.erasedCalls(of: "\(session)")) ?? [])
      for call in calls { add(.tool, call.tool) }
    case .attachment: add(.tool, record.text("tool"))
    default: break
    }
    for child in record.children where child.kind == .attachment { add(.tool, child.text("tool")) }
    let artifacts = record.artifacts
    for artifact in artifacts { terms.insert(HubTerm(.artifact, artifact.digest.bytes)) }
    if !artifacts.isEmpty { terms.insert(.anyArtifact) }
  }

  private mutating func add(description record: CopyRecord, of session: UUID) {
    if let updated = record.integer("updated") { place = .listed(updated: updated) }
    if replaced == .nothing { replaced = .tags }
    for tag in (try? record.tags(of: "\(session)")) ?? [] {
      add(.sessionTag, tag)
      add(.tag, tag)
    }
    add(.origin, record.text("origin"))
  }

  private mutating func add(_ kind: HubTerm.Kind, _ fact: String?) {
    if let fact { terms.insert(HubTerm(kind, fact)) }
  }
}

extension HubTerm {
  /// The term of all sessions that have an artifact.
  static let anyArtifact = HubTerm(.attachment, "any")

  /// The term of all forks of a session, and of their forks.
  static func fork(of session: UUID) -> HubTerm { HubTerm(.fork, session.bytes) }
}

extension HubQuery {
  /// The question for the sessions of a list. What the hub does not keep is looked at where the sessions are read.
  init(_ filter: Session.Filter, after place: HubPlace?, limit: Int) {
    let terms: [HubTerm?] = [
      filter.sessionTag.map { HubTerm(.sessionTag, $0) }, filter.tag.map { HubTerm(.tag, $0) },
      filter.tool.map { HubTerm(.tool, $0) }, filter.origin.map { HubTerm(.origin, $0) },
      filter.model.map { HubTerm(.model, $0) }, filter.has.map { _ in .anyArtifact },
    ]
    let since = filter.since?.microseconds ?? .min
    self.init(
      terms.compactMap(\.self), updated: since..<max(since, filter.until?.microseconds ?? .max),
      after: place, limit: limit)
  }
}
