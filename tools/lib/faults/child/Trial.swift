import KeepsakeFaultyCalls
import Foundation
import Keepsake

/// One piece of work during which one call fails, and what is left afterwards.
final class Trial {
  let folder: URL
  let material: Material
  private let place: URL
  private var opened: [Store] = []
  private var known: Session?
  private(set) var findings: [String] = []

  init(_ material: Material, in folder: URL) throws {
    self.material = material
    self.folder = folder
    place = folder.appending(path: "Trial.keepsake")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try FileManager.default.copyItem(at: material.url, to: place)
  }

  var store: Store { opened[0] }
  /// The one that the work is done with, in a store that is open.
  var session: Session {
    guard let known else { fatalError("This work opens the store by itself.") }
    return known
  }

  func open(_ access: Store.Options.Access = .readWriteExisting) async throws -> Store {
    var options = Store.Options(access: access)
    options.patience = .seconds(600)
    let store = try await Store(at: place, options: options)
    opened.append(store)
    return store
  }

  func session(of store: Store) async throws -> Session { try await store.session(material.kept) }

  /// Does the work; gives how many calls there were that could have failed.
  func run(_ work: Work, _ fault: Fault, after: Int64) async throws -> Int64 {
    if !work.opens {
      let store = try await open()
      known = try await session(of: store)
    }
    var failure: (any Error)?
    let calls = await fault.during(folder, after: after) {
      do { try await work.run(self) } catch { failure = error }
    }
    if let failure { check(failure, of: fault) }
    if work.opens { await close() } else { await goOn() }
    try await checkAll()
    return calls
  }

  /// What the person is told, who has to act upon it.
  private func check(_ failure: any Error, of fault: Fault) {
    guard let failure = failure as? KeepsakeError else {
      findings.append("it throws another error: \(failure)")
      return
    }
    let isFull = fault.error == ENOSPC || fault.error == EDQUOT
    let isRight: Bool =
      if isFull {
        failure.code == .diskFull
          && failure.message.contains(fault.error == EDQUOT ? "quota" : "full")
          || failure.message.contains("no space")
      } else if fault.error == EMFILE {
        failure.code == .inputOutput && failure.message.contains("too many files")
      } else {
        failure.code == .inputOutput
      }
    if !isRight { findings.append("it says \(failure.code): \(failure.message)") }
  }

  /// The open store goes on, or says that it can't and is opened again.
  private func goOn() async {
    do { try await session.append(.prompt("afterwards")) } catch {
      findings.append("afterwards it can't be written: \(error)")
    }
    await close()
  }

  private func close() async {
    for store in opened { await store.close() }
    opened = []
  }

  /// All that was acknowledged is there, and the store is sound.
  private func checkAll() async throws {
    do {
      let store = try await open()
      let session = try await session(of: store)
      let texts = try await session.entries.all().map(\.text)
      for (position, text) in Material.texts.enumerated() {
        // What the work itself erases or revises.
        guard position != 1, position != 2 else { continue }
        if texts[position] != text { findings.append("entry \(position) is '\(texts[position])'") }
      }
      try await session.append(.prompt("later"))
      let report = try await store.verify()
      if !report.isSound { findings += report.findings.map { "verify: \($0)" } }
      await close()
    } catch {
      findings.append("it can't be read afterwards: \(error)")
      await close()
    }
  }
}
