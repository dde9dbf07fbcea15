/// Why a format can't be written as it was asked for. Here alone is it decided; who asked words it.
package enum ExportFault: Sendable, Hashable {
  /// A folder or a beginning was named, and no coding agent keeps its sessions in the format.
  case noAgent
  /// The format has no such way to hold artifacts.
  case artifacts(ExportOptions.Artifacts)
  /// Artifacts as files stand beside a file, and there is none.
  case noPlaceForFiles
  /// No model goes on from the format.
  case noResumption
}

extension ExportOptions {
  /// Looks whether a format can be written so; nil where it can.
  /// - Parameters:
  ///   - format: The format that is written.
  ///   - isStream: Whether there is no place for files beside.
  package func fault(for format: Format, isStream: Bool) -> ExportFault? {
    if folder != nil || start != nil, !format.isForAgents { return .noAgent }
    if let artifacts, !format.artifacts.contains(artifacts) { return .artifacts(artifacts) }
    if isStream, artifacts == .files { return .noPlaceForFiles }
    if resumption != nil, !format.resumes { return .noResumption }
    return nil
  }
}

extension Format {
  /// Whether a coding agent keeps its sessions in it, and goes on with one that is written so.
  package var isForAgents: Bool { canWrite && givesBack }
}

extension FormatError {
  init(_ fault: ExportFault, _ format: Format) {
    let message =
      switch fault {
      case .noAgent:
        "No agent keeps sessions as '\(format.name)', so it has no folder and no beginning to choose. Leave them out, or choose the format of a coding agent."
      case .artifacts(let artifacts):
        "The format '\(format.name)' can't have its artifacts '\(artifacts.rawValue)'. Ask for \(format.artifacts.map { "'\($0.rawValue)'" }.joined(separator: " or "))."
      case .noPlaceForFiles: "Artifacts as files need a file to stand beside. Write to a file."
      case .noResumption:
        "The format '\(format.name)' is not one that a model goes on from, so nothing can be fitted to it. Choose another one, such as 'apple'."
      }
    self.init(.unsupported, message)
  }
}
