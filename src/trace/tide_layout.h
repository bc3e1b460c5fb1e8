/* The tide format's layout; docs/trace-format.md says it in words. */
#ifndef TD_TRACE_TIDE_LAYOUT_H
#define TD_TRACE_TIDE_LAYOUT_H

#include "tide_marks.h"

#define TIDE_MAGIC "\x89tide\r\n\x1a" /* 8 bytes; a transfer as text would break it */
#define TIDE_VERSION_NUMBER 1

/* Header. */
enum { WITH_MARKS = 1 }; /* the flags */
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
enum { HAS_WRITES = 1, HAS_REFS = 2, HAS_STREAMS = 4, HAS_MARKS = 8, HAS_ALL = 15 };

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
/* What a frame of n events can hold at most: three columns and the bitmap, and marks. */
#define MOST_RAW(n) (3 * TD_TRACE_COLUMN_MOST(n) + ((size_t)(n) + 7) / 8)
#define MOST_RAW_MARKED(n) (MOST_RAW(n) + MOST_MARKS_RAW)

#endif
