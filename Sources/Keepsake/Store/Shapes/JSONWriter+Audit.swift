#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONWriter {
  package mutating func write(_ trail: Audit.Trail) {
    beginObject()
    fixed("artifact", trail.artifact.description)
    fixed("size", trail.size)
    writeMembers(of: trail)
    endObject()
  }

  package mutating func writeMembers(of trail: Audit.Trail?) {
    fixed("sniffedType", trail?.sniffedType.description)
    key("attachments")
    array(trail?.attachments ?? []) { $1.write($0) }
    key("madeFrom")
    array(trail?.madeFrom ?? []) { input, writer in
      writer.beginObject()
      writer.fixed("artifact", input.artifact?.description)
      writer.fixed("session", input.session)
      writer.fixed("position", input.position)
      writer.fixed("recording", input.recording)
      writer.endObject()
    }
    key("madeInto")
    array(trail?.madeInto ?? []) { $1.write($0) }
  }

  package mutating func write(_ prompt: Audit.Occurrence.Prompt?) {
    guard let prompt else { return null() }
    beginObject()
    fixed("position", prompt.position)
    fixed("text", prompt.text)
    endObject()
  }

  package mutating func write(_ place: Audit.Occurrence) {
    beginObject()
    fixed("recording", place.recording)
    fixed("created", place.created)
    key("recordedBy")
    beginObject()
    fixed("kind", place.recordedBy.kind.rawValue)
    fixed("file", place.recordedBy.file)
    fixed("digest", place.recordedBy.digest)
    endObject()
    fixed("session", place.session)
    fixed("title", place.title)
    fixed("turn", place.turn)
    fixed("lane", place.lane)
    fixed("position", place.position)
    fixed("entry", place.entry?.text)
    fixed("artifact", place.artifact?.description)
    fixed("mediaType", (place.mediaType ?? place.sniffedType)?.description)
    fixed("fileName", place.fileName)
    fixed("label", place.label)
    fixed("caption", place.caption)
    fixed("direction", place.direction.rawValue)
    key("maker")
    beginObject()
    fixed("kind", place.maker.kind.rawValue)
    fixed("name", place.maker.name)
    fixed("version", place.maker.version)
    fixed("model", place.maker.model)
    endObject()
    fixed("basis", place.basis.rawValue)
    fixed("basisReason", place.basisReason)
    fixed("tool", place.tool)
    fixed("callID", place.callID ?? place.call?.id)
    fixed("arguments", place.arguments)
    fixed("reference", place.reference)
    key("inputs")
    array(place.inputs) { input, writer in
      writer.beginObject()
      switch input {
      case .artifact(let id): writer.fixed("artifact", id.description)
      case .entry(let position): writer.fixed("position", position)
      }
      writer.endObject()
    }
    key("prompt")
    write(place.prompt)
    fixed("state", place.state.rawValue)
    fixed("entryDigest", place.link.entryDigest)
    fixed("head", place.link.head)
    key("chain")
    beginObject()
    fixed("session", place.link.session)
    fixed("change", place.link.change)
    fixed("digest", place.link.digest)
    fixed("changes", place.link.changes)
    endObject()
    endObject()
  }

  package mutating func write(_ product: Audit.Product) {
    beginObject()
    fixed("artifact", product.artifact?.description)
    fixed("mediaType", product.mediaType?.description)
    fixed("size", product.size)
    fixed("session", product.session)
    fixed("position", product.position)
    fixed("label", product.label)
    fixed("tool", product.tool)
    fixed("callID", product.callID)
    fixed("basis", product.basis.rawValue)
    fixed("state", product.state.rawValue)
    fixed("created", product.created)
    fixed("recording", product.recording)
    endObject()
  }

  package mutating func write(_ run: Invocation) {
    beginObject()
    fixed("id", run.id)
    fixed("name", run.name)
    fixed("turn", run.turn)
    fixed("started", run.started)
    fixed("outcome", run.outcome?.rawValue)
    fixed("arguments", run.description.arguments)
    endObject()
  }

  /// Writes the audit of a session.
  ///
  /// - Parameters:
  ///   - report: The audit.
  ///   - more: Writes further members.
  package mutating func write(
    _ report: Audit.SessionReport, _ more: (inout JSONWriter) -> Void = { _ in }
  ) {
    beginObject()
    fixed("session", report.session)
    fixed("title", report.title)
    fixed("head", report.head)
    fixed("changes", report.changes)
    key("attachments")
    array(report.attachments) { $1.write($0) }
    key("callsWithoutOutput")
    array(report.callsWithoutOutput) { call, writer in
      writer.beginObject()
      writer.fixed("position", call.position)
      writer.fixed("ordinal", call.ordinal)
      writer.fixed("id", call.id)
      writer.fixed("tool", call.tool)
      writer.fixed("arguments", call.arguments)
      writer.endObject()
    }
    key("unendedInvocations")
    array(report.unendedInvocations) { $1.write($0) }
    key("unboundInvocations")
    array(report.unboundInvocations) { $1.write($0) }
    more(&self)
    endObject()
  }
}
