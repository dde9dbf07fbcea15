import KeepsakeMigrations
import KeepsakeSQLite

/// The schema of a store's database, and the steps that make it.
enum StoreSchema {
  /// The application id in the header of every store's database, which spells `Keep`.
  static let applicationID: Int32 = 0x4B65_6570

  static let migrator = Migrator(
    Migrations.all.map { Migration(name: $0.name, sql: $0.sql) }, applicationID: applicationID)
}
