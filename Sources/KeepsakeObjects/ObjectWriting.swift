/// The outcome of writing an object.
package enum ObjectWriting: Sendable, Hashable {
  /// The object is there, durably, with a tag for its bytes where the server gives one.
  case written(etag: String?)
  /// The condition does not hold. After an answer that was lost, the object may be the very one that was to be written.
  case refused
}
