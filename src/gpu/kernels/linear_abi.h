/* What the linear kernels of a device and the driver that launches them (gpu/linear.c) know of each other. */
#ifndef PDP_GPU_KERNELS_LINEAR_ABI_H
#define PDP_GPU_KERNELS_LINEAR_ABI_H

enum {
    THREADS = 256,
    BLOCK = 1024, /* cells of a part */
    STEP = 32,    /* cells that the chain finishes between two barriers, if there are windows */
    SUB = 128,    /* cells of which the chain's group takes the sums at once, and tells that they are final */
    SUBS = BLOCK / SUB,
    MATRICES = 224, /* offsets below it are taken step by step */
    NEAR = 768,     /* and those below this one by the chain's group */
    OWN = 4096,     /* and those below this one sub-block by sub-block; parts have the others */
    CHUNK = 512,    /* offsets of which a group has the operands at once */
    WINDOW = 32,    /* offsets of a mask; all windows together end with a multiple of CHUNK or with MATRICES */
    SLOTS = 128,    /* blocks whose sums are in memory at once */
    TOGETHER = 4,   /* sub-blocks of which none is needed for what the chain is not */
    SHORT_ROUND = 8 /* cells: below it the nearest offsets are in windows if they can, however few */
};

/* Words through which groups meet. */
enum {
    TICKET = 0,
    PLACE = 1,    /* where the chain is, and 1 */
    PROGRESS = 2, /* cells that are final */
    PARTS = 3,    /* of a block */
    SPAN = 4,     /* offsets of a part: a multiple of CHUNK */
    ROUND = 5,    /* cells that do not depend on each other: at most SUB */
    BLOCKS = 6,
    PLAIN = 7, /* terms are s + w, or s, and the last weight makes one harmless: see find_harmless */
    COUNTS = 8 /* for every block, its parts that are done; then for every sub-block whether its sums are there */
};

/* Behind them, if the text has PDP_RECORDS, what groups did, in the order in which it happened: how many events there
 * are, how many there is room for, and then so many words each. */
enum { EVENT_COUNT = 0, EVENT_ROOM = 1, EVENTS = 2, EVENT_GROUP = 0, EVENT_WHAT = 1, EVENT_PLACE = 2, EVENT_WORDS = 3 };
enum { READS_CELLS, HAS_CELLS, STARTS_PART, HAS_PART, STARTS_SUMS, HAS_SUMS, READS_SUMS }; /* see block_trace.h */

#endif
