import Keepsake

/// The form in which a file holds messages.
enum WireForm: Sendable, Equatable {
  /// The file is a request as the service takes it, with the messages under a key.
  case request
  /// The file is the list of messages alone.
  case list
}
