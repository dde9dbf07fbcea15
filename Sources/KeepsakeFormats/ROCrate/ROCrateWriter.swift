#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes the graph of a crate node by node; the node of the crate itself comes last.
struct ROCrateWriter {
  private static let profile = "https://w3id.org/ro/wfrun/process/0.5"

  private let provenance: Provenance
  private let output: ExportOutput
  private var losses = Losses()
  private var isFirst = true
  /// The paths of artifacts' files, percent-encoded as in a URL.
  private var paths: [Artifact.ID: String] = [:]

  init(_ provenance: Provenance, _ output: ExportOutput) {
    self.provenance = provenance
    self.output = output
  }

  mutating func write() async throws -> Losses {
    try put(
      #"{"@context":["https://w3id.org/ro/crate/1.2/context",{"keepsake":"urn:keepsake:"}],"@graph":["#
    )
    var descriptor = ROCrateNode("ro-crate-metadata.json", "CreativeWork")
    descriptor.add("about", to: root)
    descriptor.add("conformsTo", to: "https://w3id.org/ro/crate/1.2")
    try add(descriptor)
    var profile = ROCrateNode(Self.profile, "CreativeWork")
    profile.add("name", "Process Run Crate")
    profile.add("version", "0.5")
    try add(profile)
    try await writeItems()
    for agent in provenance.agents { try add(node(of: agent)) }
    try await writeEntries()
    try await writeActivities()
    try writeConversation()
    try await writeRoot()
    try put("]}")
    return losses
  }

  /// The id of the crate: the current folder where files lie beside the metadata, else the session's name.
  private var root: String {
    output.place == nil ? "urn:uuid:\(provenance.session.id.text)" : "./"
  }

  private func put(_ text: String) throws { try output.take(Array(text.utf8)) }

  private mutating func add(_ node: ROCrateNode) throws {
    try output.take((isFirst ? [] : [UInt8(ascii: ",")]) + node.json.bytes)
    isFirst = false
  }

  // MARK: - Names

  private func name(of thing: ProvenanceThing) -> String {
    if case .artifact(let id) = thing { return paths[id] ?? thing.name }
    return "#\(thing.name)"
  }

  private func name(of agent: ProvenanceAgent) -> String { "#\(agent.identifier)" }

  private func name(of kind: ProvenanceActivity.Kind) -> String { "#\(kind.name)" }
}

// MARK: - Things

extension ROCrateWriter {
  private mutating func writeItems() async throws {
    let sources = Dictionary(grouping: provenance.derivations, by: \.thing)
    let givers = Dictionary(grouping: provenance.attributions, by: \.thing)
    // All paths come first, because a node may refer to an artifact that is written later.
    for item in provenance.items {
      guard let artifact = item.attachment.artifact, let place = output.place,
        let file = CopyName(item.attachment)?.text
      else { continue }
      paths[artifact.id] = try await place(artifact, file)
    }
    for item in provenance.items {
      var node = node(of: item)
      let sources = sources[item.thing]?.filter { provenance.says($0.other) } ?? []
      node.add("isBasedOn", to: sources.map { name(of: $0.other) })
      let givers = givers[item.thing] ?? []
      node.add("creator", to: givers.map { name(of: $0.other) })
      node.add(
        "keepsake:basis",
        bases: sources.map { ($0.basis, name(of: $0.other)) }
          + givers.map { ($0.basis, name(of: $0.other)) })
      try add(node)
    }
    for thing in provenance.strangers { try add(ROCrateNode(name(of: thing), "CreativeWork")) }
  }

  private mutating func node(of item: Provenance.Item) -> ROCrateNode {
    let attachment = item.attachment
    let isFile = attachment.artifact != nil
    var node = ROCrateNode(name(of: item.thing), isFile ? "File" : "CreativeWork")
    node.add("name", attachment.fileName ?? attachment.declaredLabel ?? attachment.label)
    node.add("description", attachment.caption)
    if let artifact = attachment.artifact {
      node.add("contentSize", "\(artifact.size)")
      node.add("encodingFormat", (attachment.mediaType ?? artifact.sniffedType).essence)
      node.add("sha256", String(artifact.id.description.dropFirst("sha256:".count)))
      if output.place == nil { losses.add(.attachments) }
    } else {
      node.add("keepsake:state", attachment.state.rawValue)
      node.add("url", attachment.reference)
    }
    return node
  }

  private func node(of agent: ProvenanceAgent) -> ROCrateNode {
    let isPerson = if case .person = agent { true } else { false }
    var node = ROCrateNode(name(of: agent), isPerson ? "Person" : "SoftwareApplication")
    node.add("name", agent.name)
    return node
  }

  private mutating func writeEntries() async throws {
    try await provenance.eachEntry { entry, digest in
      var node = ROCrateNode(name(of: .entry(entry.position ?? 0)), "Message")
      node.add("name", "\(entry.kind.rawValue) \(entry.position ?? 0)")
      node.add("identifier", "urn:uuid:\(entry.id.text)")
      node.add("dateCreated", entry.created)
      node.add("author", to: ProvenanceAgent(writerOf: entry).map { name(of: $0) })
      let attachments = entry.attachments.filter { $0.direction != .content }
      node.add("messageAttachment", to: attachments.map { name(of: ProvenanceThing($0)) })
      node.add("isPartOf", to: "#conversation")
      node.add("text", Provenance.text(of: entry))
      node.add(provenance.facts(of: entry, digest))
      try add(node)
      if Provenance.isCut(entry) { losses.add(.contents) }
    }
  }

  private mutating func writeActivities() async throws {
    try await provenance.eachActivity { activity in try add(node(of: activity)) }
  }

  private func node(of activity: ProvenanceActivity) -> ROCrateNode {
    var node = ROCrateNode(name(of: activity.kind), "CreateAction")
    node.add("name", activity.name ?? "answer")
    node.add("instrument", to: activity.agent.map { name(of: $0) })
    node.add("agent", to: activity.asker.map { name(of: $0) })
    let used = activity.used.filter { provenance.says($0.thing) }
    node.add("object", to: used.map { name(of: $0.thing) })
    node.add("result", to: activity.generated.map { name(of: $0.thing) })
    node.add("startTime", activity.run?.started)
    node.add("endTime", activity.run?.ended)
    if let hasFailed = activity.hasFailed {
      node.add(
        "actionStatus",
        to: "http://schema.org/\(hasFailed ? "FailedActionStatus" : "CompletedActionStatus")")
      if hasFailed { node.add("error", activity.run?.detail) }
    }
    node.add("keepsake:askedBy", to: activity.askedBy.map { name(of: .answer($0)) })
    node.add(activity.facts)
    node.add(
      "keepsake:basis", bases: (used + activity.generated).map { ($0.basis, name(of: $0.thing)) })
    return node
  }

  private mutating func writeConversation() throws {
    let summary = provenance.summary
    var node = ROCrateNode("#conversation", "Conversation")
    node.add("name", summary.title ?? summary.preview)
    node.add("identifier", "urn:uuid:\(summary.id.text)")
    node.add("keepsake:origin", summary.origin)
    node.add("keepsake:chainHead", provenance.head)
    node.add("keepsake:changes", provenance.changes)
    node.add("isBasedOn", to: summary.forkOf.map { "urn:uuid:\($0.text)" })
    node.add("keepsake:forkPosition", summary.forkPosition)
    try add(node)
  }

  /// Writes the node of the crate piece by piece, because it refers to all activities of the session.
  private mutating func writeRoot() async throws {
    let summary = provenance.summary
    var node = ROCrateNode(root, "Dataset")
    node.add("name", summary.title ?? summary.preview ?? "A session without a title")
    node.add("description", "A conversation with a language model, and where all in it comes from.")
    // The format requires a time of publishing, which nobody states, so the session's last change is used.
    node.add("datePublished", summary.updated)
    node.add("conformsTo", to: Self.profile)
    node.add("mainEntity", to: "#conversation")
    let files = provenance.items.filter { $0.attachment.artifact != nil }
    node.add("hasPart", to: files.map { name(of: $0.thing) })
    try put(",")
    try output.take(Array(node.json.bytes.dropLast()))
    var isFirst = true
    try await provenance.eachActivity { activity in
      let id = JSON.object([("@id", .string(name(of: activity.kind)))])
      try put((isFirst ? #","mentions":["# : ",") + id.text)
      isFirst = false
    }
    try put(isFirst ? "}" : "]}")
  }
}
