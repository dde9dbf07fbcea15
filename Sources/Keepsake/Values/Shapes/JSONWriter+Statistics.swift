extension JSONWriter {
  package mutating func write(_ found: StoreStatistics) {
    beginObject()
    fixed("sessions", found.sessions)
    fixed("entries", found.entries)
    fixed("attachments", found.attachments)
    fixed("artifacts", found.artifacts)
    fixed("artifactBytes", found.artifactBytes)
    fixed("savedBytes", found.savedBytes)
    fixed("databaseBytes", found.databaseBytes)
    key("types")
    array(found.types) { $1.write($0) }
    key("tools")
    array(found.tools) { $1.write($0) }
    endObject()
  }

  package mutating func write(_ share: StoreStatistics.Share) {
    beginObject()
    fixed("name", share.name)
    fixed("artifacts", share.artifacts)
    fixed("bytes", share.bytes)
    endObject()
  }
}
