#pragma once

// SQLite's C interface, and what Swift cannot import of it: cast macros and variadic functions.
#include <sqlite3.h>
