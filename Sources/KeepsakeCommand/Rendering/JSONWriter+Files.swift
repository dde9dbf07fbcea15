#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFormats

// The JSON that 'audit FILE --json' and 'import --take-files --json' print for files that calls name.

extension JSONWriter {
  mutating func write(_ audit: FileAudit) {
    beginObject()
    fixed("artifact", audit.file.id?.description)
    fixed("size", audit.file.size)
    writeMembers(of: audit.trail)
    key("calls")
    array(audit.naming.calls) { $1.write($0) }
    flag("hasMore", audit.naming.hasMore)
    key("commit")
    if let commit = audit.commit {
      beginObject()
      fixed("id", commit.id)
      fixed("author", commit.author)
      fixed("date", commit.date)
      fixed("subject", commit.subject)
      endObject()
    } else {
      null()
    }
    endObject()
  }

  mutating func write(_ call: FileCalls.Call) {
    beginObject()
    fixed("session", call.session)
    fixed("title", call.title)
    fixed("position", call.position)
    fixed("callID", call.id)
    fixed("tool", call.tool)
    fixed("path", call.path)
    fixed("deed", call.deed.rawValue)
    fixed("created", call.created)
    fixed("basis", (call.basis ?? .unknown).rawValue)
    key("prompt")
    write(call.prompt)
    endObject()
  }

  mutating func write(_ files: TakenFiles?) {
    guard let files else { return null() }
    beginObject()
    key("taken")
    array(files.files) { file, writer in
      writer.beginObject()
      writer.fixed("path", file.path)
      writer.fixed("session", file.session)
      writer.fixed("position", file.position)
      writer.fixed("label", file.label)
      writer.fixed("artifact", file.artifact.description)
      writer.fixed("size", file.size)
      writer.fixed("tool", file.tool)
      writer.fixed("basis", file.basis.rawValue)
      writer.endObject()
    }
    fixed("known", files.known)
    fixed("gone", files.gone)
    fixed("changed", files.changed)
    key("refused")
    array(files.refused) { refused, writer in
      writer.beginObject()
      writer.fixed("path", refused.path)
      writer.fixed("reason", refused.reason)
      writer.endObject()
    }
    endObject()
  }
}
