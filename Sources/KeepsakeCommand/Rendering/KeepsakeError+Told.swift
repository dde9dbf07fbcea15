#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

extension KeepsakeError.Remedy {
  /// The advice for a person at a command line.
  var command: String {
    switch kind {
    case .verify: "Run 'keepsake verify'."
    case .verifyAndRestore: "Run 'keepsake verify' and restore a backup."
    case .upgrade: "Upgrade keepsake."
    case .makeStore:
      "Check the path. To make one, open it for writing, as 'keepsake new' and 'keepsake import' do."
    case .backUp: "Name another file; to copy a store, use 'keepsake backup'."
    case .listArtifacts: "Look for it with 'keepsake artifacts'."
    case .sweep: "Nothing is lost; 'keepsake sweep' removes it."
    case .moveToNewStore:
      "Take what is in it into a new store: 'keepsake export --all --format bundle -o FILE', and then 'keepsake import FILE'; or restore a backup."
    case .restoreMissing(let canGiveUp):
      "Run 'keepsake verify'; restore what is missing from a backup, or attach it again."
        + (canGiveUp
          ? " Where that can't be done, name what is lost: 'keepsake sweep --give-up ARTIFACT'."
          : "")
    case .giveUpDamaged: "Give up only what 'keepsake verify' lists as damaged."
    case .fork(let session, let position):
      "Fork it there ('keepsake fork \(session.text) --before \(position)'), and take the file into the fork; or import it as a session of its own."
    case .sweepHub: "Nothing is lost; 'keepsake hub sweep' removes it."
    case .putAgain: "A store that has it puts it there again: 'keepsake hub check --repair'."
    case .upgradeHub:
      "Stop the programs that use it with an earlier version, and run 'keepsake hub upgrade'."
    case .listAgain: "Nothing is lost; 'keepsake hub check --repair' makes the lists again."
    case .makeAnotherHub:
      "Every store that joined has a copy of its own. Make another hub: 'keepsake leave', 'keepsake hub init URL', 'keepsake join URL'."
    }
  }

  /// Joins a failure with the advice of a remedy, if there is one.
  fileprivate static func told(_ failure: String, _ remedy: Self?) -> String {
    remedy.map { "\(failure) \($0.command)" } ?? failure
  }
}

extension KeepsakeError {
  /// The message for a person at a command line.
  var told: String { KeepsakeError.Remedy.told(failure, remedy) }
}

extension FormatError {
  /// The message for a person at a command line.
  var told: String { KeepsakeError.Remedy.told(failure, remedy) }
}

extension FileError {
  /// The message for a person at a command line.
  var told: String { KeepsakeError.Remedy.told(message, remedy) }
}

extension VerifyReport {
  /// The report with advice for a command line in each finding.
  var told: VerifyReport {
    var report = self
    report.findings = findings.map(\.told)
    return report
  }
}

extension VerifyReport.Finding {
  /// The finding with advice for a command line.
  var told: Self {
    guard let action else { return self }
    return Self(severity: severity, object: object, what: what, remedy: action.command)
  }
}
