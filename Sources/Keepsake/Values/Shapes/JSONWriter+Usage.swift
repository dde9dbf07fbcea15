extension JSONWriter {
  /// Writes what the answers of one share took.
  package mutating func write(_ share: Usage.Share) {
    beginObject()
    fixed("name", share.name)
    if let title = share.title { fixed("title", title) }
    fixed("answers", share.total.entries)
    fixed("input", share.total.input)
    fixed("cachedInput", share.total.cachedInput)
    fixed("output", share.total.output)
    fixed("reasoning", share.total.reasoning)
    key("costs")
    array(share.total.costs) { $1.raw($0.json) }
    endObject()
  }
}
