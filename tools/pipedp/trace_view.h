/* What the text and the picture of a run have in common: what things are called, and how far each cell is. */
#ifndef PIPEDP_TRACE_VIEW_H
#define PIPEDP_TRACE_VIEW_H

#include "trace.h"

/* "S-DP by pipeline: n = 12, offsets 5, 3, 1, ⊗ = min". */
enum { TRACE_TITLE_SIZE = 512 };
void trace_title(const trace *run, char title[TRACE_TITLE_SIZE]);

/* "initial values 9, 4, 7, 2, 8" of an S-DP problem, "" of a matrix chain. */
void trace_initial_values(const trace *run, char text[TRACE_TITLE_SIZE]);

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

/* The flags that any of these operations has. */
uint32_t trace_flags(const pdp_operation *operations, size_t count);
enum {
    TRACE_HAZARD = PDP_LEFT_HAZARD | PDP_RIGHT_HAZARD,
    TRACE_CONFLICT = PDP_LEFT_CONFLICT | PDP_RIGHT_CONFLICT | PDP_TARGET_CONFLICT
};

size_t trace_slot(const trace *run, uint32_t number);
void trace_slot_label(const trace *run, size_t slot, char label[16]); /* "13", or "t1" for scratch */

void trace_progress_advance(trace_progress *progress, const trace *run, const pdp_operation *operations, size_t count);

#endif
