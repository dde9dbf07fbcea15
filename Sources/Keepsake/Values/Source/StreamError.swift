/// The reasons for which an append to a stream is not written.
package enum StreamError: Error {
  /// Somebody else added to the stream, so that the summary is not of all of it.
  case grown
  /// The session that the records would be taken into belongs to another stream.
  case taken
}
