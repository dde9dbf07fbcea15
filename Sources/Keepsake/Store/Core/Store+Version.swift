extension Store {
  /// The version of this library, and of the command that comes with it.
  public static let libraryVersion = "0.1.0"
}
