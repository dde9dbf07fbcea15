#pragma once

// zlib, which packs what is left of records that had images in them.
#include <zlib.h>
