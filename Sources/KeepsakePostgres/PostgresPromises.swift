/// The settings of a server that decide what a yes of it is worth.
package struct PostgresPromises: Sendable, Hashable {
  /// The server's `synchronous_commit` for this role.
  package let synchronousCommit: String
  /// The server's `synchronous_standby_names`; empty where it waits for no standby.
  package let synchronousStandbys: String
  /// Whether the server has its disk keep what it writes (`fsync`).
  package let syncsDisk: Bool
  /// Whether the server can mend pages of which the loss of power left a part (`full_page_writes`).
  package let writesFullPages: Bool

  package init(
    synchronousCommit: String, synchronousStandbys: String, syncsDisk: Bool, writesFullPages: Bool
  ) {
    self.synchronousCommit = synchronousCommit
    self.synchronousStandbys = synchronousStandbys
    self.syncsDisk = syncsDisk
    self.writesFullPages = writesFullPages
  }

  /// Tells whether what the hub acknowledged survives a crash of its server.
  package var survivesCrash: Bool { syncsDisk && writesFullPages && synchronousCommit != "off" }

  /// Tells whether what the hub acknowledged survives the loss of its server, because a standby has it too.
  package var survivesServer: Bool {
    !synchronousStandbys.isEmpty
      && ["on", "remote_write", "remote_apply"].contains(synchronousCommit)
  }

  /// The promises in words, a sentence for each.
  package var sentences: [String] {
    var all: [String] = []
    if !syncsDisk {
      all.append("A crash of the machine may damage the whole database, because fsync is off.")
    } else if !writesFullPages {
      all.append(
        "The loss of power may damage the whole database, because full_page_writes is off.")
    }
    if synchronousCommit == "off" {
      all.append(
        "A crash of the server may lose what it acknowledged last, because synchronous_commit is off."
      )
    } else if all.isEmpty {
      all.append("What the hub acknowledged survives a crash of its server.")
    }
    all.append(failover)
    return all
  }

  private var failover: String {
    switch synchronousCommit {
    case _ where synchronousStandbys.isEmpty:
      "The loss of the server loses what it acknowledged after the last backup, or what no standby had received, because "
        + "synchronous_standby_names is empty."
    case "off", "local":
      "The loss of the server loses what no standby had received, because synchronous_commit is \(synchronousCommit)."
    case "remote_write":
      "The loss of the server loses nothing unless the standby's machine stops at the same time, because synchronous_commit is "
        + "remote_write."
    default: "The loss of the server loses nothing that it acknowledged, because a standby has it."
    }
  }
}
