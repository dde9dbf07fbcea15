extension Entry {
  /// A number that two entries share, in this process, if their kind and calls are the same, so that one may become a
  /// revision of the other.
  var shape: Int {
    var hasher = Hasher()
    hasher.combine(kind)
    hasher.combine(callID)
    for call in toolCalls {
      hasher.combine(call.id)
      hasher.combine(call.tool)
    }
    return hasher.finalize()
  }
}
