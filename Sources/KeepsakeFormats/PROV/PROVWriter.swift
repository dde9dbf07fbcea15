#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes the provenance of a session as a PROV document.
///
/// The format has one list for each kind of thing and of relation, so the session is read once for each list.
struct PROVWriter {
  private let provenance: Provenance
  private let output: ExportOutput
  private var losses = Losses()
  /// Whether the open list already has an element.
  private var hasElements = false
  /// The number of relations in the open list, from which the next one gets its name.
  private var relations = 0

  init(_ provenance: Provenance, _ output: ExportOutput) {
    self.provenance = provenance
    self.output = output
  }

  mutating func write() async throws -> Losses {
    let prefixes = PROVNames.prefixes(of: provenance.session, forkOf: provenance.summary.forkOf)
    try put("{\"prefix\":" + prefixes.text)
    try await list("entity") { try await $0.writeEntities() }
    try await list("activity") { try await $0.writeActivities() }
    try await list("agent") { try $0.writeAgents() }
    try await list("wasGeneratedBy") { try await $0.writeGenerations() }
    try await list("used") { try await $0.writeUses() }
    try await list("wasInformedBy") { try await $0.writeRequests() }
    try await list("wasAssociatedWith") { try await $0.writeAssociations() }
    try await list("wasAttributedTo") { try await $0.writeAttributions() }
    try await list("wasDerivedFrom") { try $0.writeDerivations() }
    try await list("hadMember") { try await $0.writeMembers() }
    try put("}")
    return losses
  }

  // MARK: - Lists

  private func put(_ text: String) throws { try output.take(Array(text.utf8)) }

  private mutating func list(
    _ name: String, _ write: (inout PROVWriter) async throws -> Void
  ) async throws {
    try put(",\"\(name)\":{")
    hasElements = false
    relations = 0
    try await write(&self)
    try put("}")
  }

  private mutating func add(_ name: String, _ attributes: PROVAttributes) throws {
    var json = JSONWriter()
    json.key(escaping: name)
    json.raw(attributes.json)
    try output.take((hasElements ? [UInt8(ascii: ",")] : []) + json.bytes)
    hasElements = true
  }

  /// Adds a relation between two named things, each with the role that the relation gives it.
  private mutating func relate(
    _ from: (role: String, name: String), _ to: (role: String, name: String),
    basis: Entry.Attachment.Basis? = nil, also: (String, String)? = nil
  ) throws {
    var attributes = PROVAttributes()
    attributes.add(from.role, from.name)
    attributes.add(to.role, to.name)
    if let also { attributes.add(also.0, also.1) }
    attributes.add("keepsake:basis", basis?.rawValue)
    relations += 1
    try add("_:\(relations)", attributes)
  }
}

// MARK: - Things

extension PROVWriter {
  private mutating func writeEntities() async throws {
    try add(PROVNames.conversation, conversation)
    if provenance.summary.forkOf != nil {
      var parent = PROVAttributes()
      parent.add(type: "keepsake:session")
      try add("parent:conversation", parent)
    }
    for item in provenance.items {
      try add(PROVNames.name(of: item.thing), try await attributes(of: item))
    }
    for thing in provenance.strangers {
      var attributes = PROVAttributes()
      attributes.add(type: "keepsake:artifact")
      try add(PROVNames.name(of: thing), attributes)
    }
    try await provenance.eachEntry { entry, digest in
      try add(PROVNames.name(of: .entry(entry.position ?? 0)), attributes(of: entry, digest))
      if Provenance.isCut(entry) { losses.add(.contents) }
    }
  }

  private var conversation: PROVAttributes {
    let summary = provenance.summary
    var attributes = PROVAttributes()
    attributes.add(type: "prov:Collection")
    attributes.add("prov:label", summary.title)
    attributes.add("keepsake:id", summary.id.text)
    attributes.add("keepsake:origin", summary.origin)
    attributes.add("keepsake:entries", summary.entries)
    attributes.add("keepsake:chainHead", provenance.head)
    attributes.add("keepsake:changes", provenance.changes)
    attributes.add("keepsake:forkPosition", summary.forkPosition)
    return attributes
  }

  private func attributes(of item: Provenance.Item) async throws -> PROVAttributes {
    let attachment = item.attachment
    var attributes = PROVAttributes()
    attributes.add(type: "keepsake:\(attachment.artifact == nil ? "attachment" : "artifact")")
    attributes.add("prov:label", attachment.caption ?? attachment.declaredLabel ?? attachment.label)
    attributes.add("keepsake:mediaType", attachment.mediaType?.description)
    attributes.add("keepsake:fileName", attachment.fileName)
    attributes.add("keepsake:reference", attachment.reference)
    if attachment.state != .present {
      attributes.add("keepsake:state", attachment.state.rawValue)
    }
    guard let artifact = attachment.artifact else { return attributes }
    attributes.add("keepsake:size", Int(artifact.size))
    attributes.add("keepsake:sniffedType", artifact.sniffedType.description)
    if let place = output.place, let name = CopyName(attachment)?.text {
      attributes.add("prov:location", try await place(artifact, name))
    }
    return attributes
  }

  private func attributes(of entry: Entry, _ digest: String?) -> PROVAttributes {
    var attributes = PROVAttributes()
    attributes.add(type: "keepsake:\(entry.kind.rawValue)")
    if entry.attachments.contains(where: { $0.direction != .content }) {
      attributes.add(type: "prov:Collection")
    }
    attributes.add("keepsake:id", entry.id.text)
    attributes.add("keepsake:created", entry.created)
    attributes.add(provenance.facts(of: entry, digest))
    attributes.add("prov:value", Provenance.text(of: entry))
    return attributes
  }

  private mutating func writeActivities() async throws {
    try await provenance.eachActivity { activity in
      var attributes = PROVAttributes()
      switch activity.kind {
      case .answer: attributes.add(type: "keepsake:answer")
      case .call: attributes.add(type: "keepsake:toolCall")
      case .run: attributes.add(type: "keepsake:\(activity.run?.maker.rawValue ?? "run")")
      }
      attributes.add("prov:label", activity.name)
      attributes.add("prov:startTime", activity.run?.started)
      attributes.add("prov:endTime", activity.run?.ended)
      attributes.add(activity.facts)
      if let hasFailed = activity.hasFailed {
        attributes.add("keepsake:failed", hasFailed ? "true" : "false")
      }
      try add(PROVNames.name(of: activity.kind), attributes)
    }
  }

  private mutating func writeAgents() throws {
    for agent in provenance.agents {
      var attributes = PROVAttributes()
      if case .person = agent {
        attributes.add(type: "prov:Person")
      } else {
        attributes.add(type: "prov:SoftwareAgent")
      }
      attributes.add("prov:label", agent.name)
      attributes.add("keepsake:kind", agent.kind)
      try add(PROVNames.name(of: agent), attributes)
    }
  }
}

// MARK: - Relations

extension PROVWriter {
  private mutating func writeGenerations() async throws {
    try await provenance.eachActivity { activity in
      for link in activity.generated {
        try relate(
          ("prov:entity", PROVNames.name(of: link.thing)),
          ("prov:activity", PROVNames.name(of: activity.kind)), basis: link.basis)
      }
    }
  }

  private mutating func writeUses() async throws {
    try await provenance.eachActivity { activity in
      for link in activity.used where provenance.says(link.thing) {
        try relate(
          ("prov:activity", PROVNames.name(of: activity.kind)),
          ("prov:entity", PROVNames.name(of: link.thing)), basis: link.basis)
      }
    }
  }

  private mutating func writeRequests() async throws {
    try await provenance.eachActivity { activity in
      guard let answer = activity.askedBy else { return }
      try relate(
        ("prov:informed", PROVNames.name(of: activity.kind)),
        ("prov:informant", PROVNames.name(of: .answer(answer))), basis: .recorded)
    }
  }

  private mutating func writeAssociations() async throws {
    try await provenance.eachActivity { activity in
      guard let agent = activity.agent else { return }
      try relate(
        ("prov:activity", PROVNames.name(of: activity.kind)),
        ("prov:agent", PROVNames.name(of: agent)), basis: .recorded)
    }
  }

  private mutating func writeAttributions() async throws {
    for tie in provenance.attributions {
      try relate(
        ("prov:entity", PROVNames.name(of: tie.thing)),
        ("prov:agent", PROVNames.name(of: tie.other)), basis: tie.basis)
    }
    try await provenance.eachEntry { entry, _ in
      guard let writer = ProvenanceAgent(writerOf: entry) else { return }
      try relate(
        ("prov:entity", PROVNames.name(of: .entry(entry.position ?? 0))),
        ("prov:agent", PROVNames.name(of: writer)), basis: .recorded)
    }
  }

  private mutating func writeDerivations() throws {
    if let position = provenance.summary.forkPosition, provenance.summary.forkOf != nil {
      try relate(
        ("prov:generatedEntity", PROVNames.conversation),
        ("prov:usedEntity", "parent:conversation"), basis: .recorded,
        also: ("keepsake:position", "\(position)"))
    }
    for tie in provenance.derivations where provenance.says(tie.other) {
      try relate(
        ("prov:generatedEntity", PROVNames.name(of: tie.thing)),
        ("prov:usedEntity", PROVNames.name(of: tie.other)), basis: tie.basis)
    }
  }

  /// Writes which things are members of the conversation and of entries. PROV has no attributes for membership.
  private mutating func writeMembers() async throws {
    try await provenance.eachEntry { entry, _ in
      let name = PROVNames.name(of: .entry(entry.position ?? 0))
      try relate(("prov:collection", PROVNames.conversation), ("prov:entity", name))
      var known: Set<ProvenanceThing> = []
      for attachment in entry.attachments where attachment.direction != .content {
        let thing = ProvenanceThing(attachment)
        guard known.insert(thing).inserted else { continue }
        try relate(("prov:collection", name), ("prov:entity", PROVNames.name(of: thing)))
      }
    }
  }
}
