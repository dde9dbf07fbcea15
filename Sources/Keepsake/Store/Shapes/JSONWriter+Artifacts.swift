extension JSONWriter {
  /// Writes an artifact as an element of a list.
  package mutating func write(_ artifact: Artifact.Summary) {
    beginObject()
    fixed("artifact", artifact.id.description)
    fixed("size", artifact.size)
    fixed("mediaType", (artifact.mediaType ?? artifact.sniffedType).description)
    fixed("width", artifact.pixelSize?.width)
    fixed("height", artifact.pixelSize?.height)
    fixed("uses", artifact.uses)
    fixed("tool", artifact.tool)
    fixed("state", artifact.state?.rawValue)
    endObject()
  }
}
