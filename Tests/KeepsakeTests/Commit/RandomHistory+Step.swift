@testable import Keepsake

extension RandomHistory {
  /// The things that a history does.
  enum Step: String, CaseIterable {
    // Entries.
    case say, saySeveral, sayWithAttachments, sayAgain, sayMuch, goBack, call, answer, revise
    // Attachments.
    case attach, attachAhead, attachFromEarlier, bind, promise, settle, giveUp, supersede, caption
    // Turns, runs and drafts.
    case openTurn, closeTurn, beginRun, attachToRun, endRun, callOfRun
    case beginDraft, continueDraft, endDraft
    // Saved lists.
    case save, saveAgain, saveRevised, adopt, saveParting
    // Sessions.
    case create, rename, tag, setMetadata, fork, forkEarlier
    // Foreign files.
    case importFile, importAgain, importGrown, importParted, importRevised
    // Removals.
    case eraseOwn, eraseShared, eraseWithAttachments, eraseImported, eraseAttachment
    case deleteForked, deleteFork, deleteAlone

    /// The likeliness of the step, beside the other steps.
    var weight: Int {
      switch self {
      case .say: 14
      case .call, .answer: 8
      case .saySeveral, .sayWithAttachments, .attach: 6
      case .revise: 5
      case .attachFromEarlier, .save, .closeTurn, .endRun, .importFile, .importGrown: 4
      case .attachAhead, .promise, .settle, .openTurn, .beginRun, .attachToRun, .callOfRun: 3
      case .beginDraft, .continueDraft, .create, .fork, .forkEarlier: 3
      case .bind, .giveUp, .caption, .endDraft, .saveRevised, .adopt, .rename, .tag, .setMetadata: 2
      // The others, of which few are enough, and which take something away or cost much.
      default: 1
      }
    }

    /// Tells whether the step concerns foreign files.
    var imports: Bool {
      switch self {
      case .importFile, .importAgain, .importGrown, .importParted, .importRevised, .eraseImported:
        true
      default: false
      }
    }

    /// Tells whether the step makes room for other sessions.
    var deletes: Bool {
      switch self {
      case .deleteForked, .deleteFork, .deleteAlone: true
      default: false
      }
    }
  }

  /// Does a step, and returns what it did; nil if there was nothing to do it with, and nothing was done.
  mutating func perform(_ step: Step, on store: Store) async throws -> String? {
    switch step {
    case .say: try await say()
    case .saySeveral: try await saySeveral()
    case .sayWithAttachments: try await sayWithAttachments()
    case .sayAgain: try await sayAgain()
    case .sayMuch: try await sayMuch()
    case .goBack: try await goBack()
    case .call: try await call()
    case .answer: try await answer()
    case .revise: try await revise()
    case .attach: try await attach()
    case .attachAhead: try await attachAhead()
    case .attachFromEarlier: try await attachFromEarlier()
    case .bind: try await bind()
    case .promise: try await promise()
    case .settle: try await settle()
    case .giveUp: try await giveUp()
    case .supersede: try await supersede()
    case .caption: try await caption()
    case .openTurn: try await openTurn()
    case .closeTurn: try await closeTurn()
    case .beginRun: try await beginRun()
    case .attachToRun: try await attachToRun()
    case .endRun: try await endRun()
    case .callOfRun: try await callOfRun()
    case .beginDraft: try await beginDraft()
    case .continueDraft: try await continueDraft()
    case .endDraft: try await endDraft()
    case .save: try await save()
    case .saveAgain: try await saveAgain()
    case .saveRevised: try await saveRevised()
    case .adopt: try await adopt()
    case .saveParting: try await saveParting()
    case .create: try await create(on: store)
    case .rename: try await rename()
    case .tag: try await tag()
    case .setMetadata: try await setMetadata()
    case .fork: try await fork(isEarlier: false)
    case .forkEarlier: try await fork(isEarlier: true)
    case .importFile: try await importFile(on: store)
    case .importAgain: try await importAgain(on: store)
    case .importGrown: try await importGrown(on: store)
    case .importParted: try await importParted(on: store)
    case .importRevised: try await importRevised(on: store)
    case .eraseOwn: try await eraseOwn()
    case .eraseShared: try await eraseShared()
    case .eraseWithAttachments: try await eraseWithAttachments()
    case .eraseImported: try await eraseImported()
    case .eraseAttachment: try await eraseAttachment()
    case .deleteForked: try await deleteForked(on: store)
    case .deleteFork: try await deleteFork(on: store)
    case .deleteAlone: try await deleteAlone(on: store)
    }
  }
}
