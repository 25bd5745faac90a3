/* What the interval kernels of a device and the driver that launches them (gpu/interval.c) know of each other. */
#ifndef PDP_GPU_KERNELS_INTERVAL_ABI_H
#define PDP_GPU_KERNELS_INTERVAL_ABI_H

enum {
    TILE = 64,     /* points */
    PANEL = 16,    /* columns of a tile that lie together, row by row */
    THREADS = 128, /* of a group that works on tiles */
    DECIDERS = 256 /* of one that looks for decisions */
};

enum { NO_NUMBER = 3 }; /* the kind of fault that a float is that compares with nothing */

/* The problems of a batch, those with more tiles in a row first: so many int64 each. Behind them, for s from 0 to the
 * most tiles in a row, is how many problems there are with more than 0, with more than 1, ... with more than s - 1 of
 * them, added up. */
enum {
    PROBLEM_DATA = 0,  /* where its data lies, in bytes from that of the first */
    PROBLEM_FIRST = 1, /* the number of its first tile: all tables are one behind the other */
    PROBLEM_SIDE = 2,  /* tiles in a row */
    PROBLEM_ROOM = 3,  /* in the first tile, before point 0 */
    PROBLEM_WORDS = 4
};

/* Words through which the groups that work on tiles meet. */
enum {
    TICKET = 0,
    COMPLETE = 1, /* distances of which all tiles are final, in all problems */
    COUNTS = 2    /* final tiles by distance, and then a flag a tile */
};

/* What groups did, in the order in which it happened, if the text has PDP_RECORDS: how many events there are, and then
 * so many words each. */
enum {
    EVENT_COUNT = 0,
    EVENTS = 1,
    EVENT_GROUP = 0,
    EVENT_PROBLEM = 1,
    EVENT_ROW = 2, /* of the tile */
    EVENT_COLUMN = 3,
    EVENT_WHAT = 4, /* reads the operands of the product at this position of the term order; or one of these: */
    EVENT_WORDS = 5
};
#define EVENT_OPENS 0xfffffffdu    /* reads the tiles on the diagonal */
#define EVENT_FINISHES 0xfffffffeu /* reads the neighbours */
#define EVENT_IS_FINAL 0xffffffffu

/* The queue of nodes of the trees of decisions, in the order in which they were found: in words. */
enum {
    TAKEN = 0,  /* tickets */
    PUSHED = 1, /* nodes there are */
    OPEN = 2,   /* nodes without an answer */
    NODES = 4,
    NODE_IS_THERE = 0,
    NODE_I = 1,
    NODE_J = 2,
    NODE_K = 3,
    NODE_KIND = 4,  /* 0: no decision; 1: a split; 2: an option, whose number is k */
    NODE_LEFT = 5,  /* the first node below it, counted from 1; 0: none */
    NODE_RIGHT = 6, /* the second */
    NODE_PROBLEM = 7,
    NODE_WORDS = 8
};

#endif
