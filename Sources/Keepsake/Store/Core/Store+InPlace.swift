extension Store {
  /// Tells whether the path from which this store was opened still leads to this store.
  ///
  /// A server that runs for days reads the property before it answers a request, so that it does not show a store that was
  /// moved away, deleted, or replaced by a copy. Reading the property opens a folder.
  package var isInPlace: Bool { !handle.layout.isReplaced }
}
