/* The layout of the tide format. docs/trace-format.md explains it. */
#ifndef TD_TRACE_TIDE_LAYOUT_H
#define TD_TRACE_TIDE_LAYOUT_H

#include "tide_marks.h"

#define TIDE_MAGIC "\x89tide\r\n\x1a" /* 8 bytes; a transfer as text would break it */
#define TIDE_VERSION_NUMBER 2         /* of traces with groups, sizes or costs; else 1 */

/* Header. */
enum { WITH_MARKS = 1, WITH_GROUPS = 2, WITH_SIZES = 4, WITH_COSTS = 8, WITH_ALL = 15 }; /* flags */
enum { HEAD_VERSION = 8, HEAD_FLAGS = 10, HEAD_EVENTS = 12, HEAD_SUM = 16, HEAD_BYTES = 24 };

/* Frame: head, then stored_bytes. */
#define FRAME_TAG 0x4d524654u /* "TFRM" */
enum {
	FRAME_EVENTS = 4,
	FRAME_FIRST = 8,
	FRAME_RAW = 16,
	FRAME_STORED = 20,
	FRAME_CODEC = 24,
	FRAME_COLUMNS = 25,
	FRAME_ZERO = 26, /* 6 bytes */
	FRAME_SUM = 32,
	FRAME_BYTES = 40,
};

enum { CODEC_RAW, CODEC_ZSTD };
enum {
	HAS_WRITES = 1,
	HAS_REFS = 2,
	HAS_STREAMS = 4,
	HAS_MARKS = 8,
	HAS_GROUPS = 16,
	HAS_SIZES = 32,
	HAS_COSTS = 64,
	HAS_ALL = 127,
};

/* Index: head, then a u64 offset per frame. */
#define INDEX_TAG 0x58444954u /* "TIDX" */
enum { INDEX_COUNT = 8, INDEX_BYTES = 16 };

#define END_TAG 0x444e4554u /* "TEND" */
enum {
	END_COLUMNS = 4,
	END_ACCESSES = 8,
	END_PAGES = 16,
	END_LAST_PAGE = 24,
	END_FRAMES = 32,
	END_INDEX = 40,
	END_SUM = 48,
	END_MAGIC = 56,
	END_BYTES = 64,
};

#define MOST_EVENTS 65536u
/* What a frame of n events can hold at most: three columns and the bitmap of writes; what objects
 * have, two columns and the bitmap of groups; and marks. */
#define MOST_RAW(n) (3 * TD_TRACE_COLUMN_MOST(n) + ((size_t)(n) + 7) / 8)
#define MOST_RAW_OBJECTS(n) (2 * TD_TRACE_COLUMN_MOST(n) + ((size_t)(n) + 7) / 8)
#define MOST_RAW_ALL(n) (MOST_RAW(n) + MOST_RAW_OBJECTS(n) + MOST_MARKS_RAW)

#endif
