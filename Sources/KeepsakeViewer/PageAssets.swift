/// The style and the script that a page needs beside its entries.
package enum PageAssets {
  /// The style sheet of entries, and of the pages around them.
  package static var style: [UInt8] { PackageResources.page_css }
  /// The script that copies code and closes enlarged images. It needs nothing, and all works without it but copying.
  package static var script: [UInt8] { PackageResources.page_js }
  /// The style sheet of a page that lists others.
  static var indexStyle: [UInt8] { PackageResources.page_css + PackageResources.index_css }
}
