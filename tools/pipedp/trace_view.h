/* What the text and the picture of a run have in common: what things are called, and how far each cell is. */
#ifndef PIPEDP_TRACE_VIEW_H
#define PIPEDP_TRACE_VIEW_H

#include "trace.h"

/* "S-DP by pipeline: n = 12, offsets 5, 3, 1, ⊗ = min". */
enum { TRACE_TITLE_SIZE = 512 };
void trace_title(const trace *run, char title[TRACE_TITLE_SIZE]);

/* A piece of an operation in words; a renderer marks the flagged ones in its own way. */
typedef struct trace_piece {
    char text[40];
    bool hazard;
    bool conflict;
    bool final;
} trace_piece;
enum { TRACE_MAX_PIECES = 8 };

/* "T2: ", "ST[5]", " ⊗= ", "ST[2]", "", "final 7". Returns how many pieces there are. */
size_t trace_describe(const trace *run, const pdp_operation *operation, trace_piece pieces[TRACE_MAX_PIECES]);

/* Columns that a UTF-8 text takes. */
size_t trace_text_width(const char *text);

/* Slots are the cells of the table and, behind them, the scratch slots of the tournament, from 0. */
size_t trace_slot(const trace *run, uint32_t number);
void trace_slot_label(const trace *run, size_t slot, char label[16]); /* "13", or "t1" for scratch */

/* Of each slot, how many of all the operations on it are done. A cell is final when all are. A scratch slot has
 * all (1) from when it is written to when it is read. */
enum { TRACE_MAX_SLOTS = 2 * TRACE_SVG_MAX_CELLS };
typedef struct trace_progress {
    size_t slots;
    uint32_t done[TRACE_MAX_SLOTS];
    uint32_t total[TRACE_MAX_SLOTS];
} trace_progress;

/* The state before the first step; false when there are too many slots. */
bool trace_progress_begin(trace_progress *progress, const trace *run);
void trace_progress_advance(trace_progress *progress, const trace *run, const trace_step *step);

#endif
