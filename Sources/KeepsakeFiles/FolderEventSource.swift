/// A system's way of reporting changes of folders.
protocol FolderEventSource: Sendable {
  var untold: [String] { get }
  func stop()
}
