/* A recorded run as the renderers see it: the steps that are shown. */
#ifndef PIPEDP_TRACE_H
#define PIPEDP_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "pipedp.h"

typedef struct trace_step {
    uint64_t number; /* from 1; a step in which nobody works is left out */
    size_t first;    /* index of its first operation */
    size_t count;
} trace_step;

/* Largest table and most steps that are drawn as a picture. */
enum { TRACE_SVG_MAX_CELLS = 300, TRACE_SVG_MAX_STEPS = 1000 };

/* Slots are the cells of the table and, behind them, the scratch slots of the tournament, from 0. Of each one, how
 * many of all the operations on it are done: a cell is final when all are. A scratch slot has all (1) from when it
 * is written to when it is read. Of slots beyond TRACE_MAX_SLOTS nothing is known. */
enum { TRACE_MAX_SLOTS = 2 * TRACE_SVG_MAX_CELLS };
typedef struct trace_progress {
    size_t slots;
    uint32_t done[TRACE_MAX_SLOTS];
    uint32_t total[TRACE_MAX_SLOTS];
} trace_progress;

typedef struct trace {
    pdp_shape kind;
    size_t n;     /* S-DP: cells; matrix chain: matrices */
    size_t cells; /* of the table: n, or n(n+1)/2 */

    /* S-DP */
    const int64_t *offsets;
    size_t offset_count;
    const int64_t *presets; /* offsets[0] of them, as given */
    const char *op;

    const int64_t *dims; /* matrix chain: n + 1 */

    const char *algorithm;
    bool guaranteed;

    uint64_t first_step; /* those shown */
    uint64_t last_step;
    pdp_operation *operations; /* of these steps, in the paper's numbering (see pipedp.h) */
    size_t operation_count;
    size_t operation_room;
    trace_step *steps;
    size_t step_count;
    size_t step_room;
    trace_progress start; /* before the first of them */
    bool is_too_long;     /* why collecting has stopped: more than TRACE_MAX_OPERATIONS, */
    bool is_out_of_memory;

    const pdp_solution *solution;
    const pdp_record *record;
    uint32_t width; /* of the machine models */
    uint32_t latency;
} trace;

/* A pdp_step_function whose context is a trace that is described up to first_step and last_step. */
enum { TRACE_MAX_OPERATIONS = 5000000 };
int trace_collect(void *context, const pdp_step *step);

/* Figures 3, 4 and 7 of the paper, step by step. */
void trace_write_text(const trace *run, FILE *out, bool colour);
void trace_write_svg(const trace *run, FILE *out);
void trace_write_json(const trace *run, FILE *out);

/* The counts alone. */
void trace_write_summary_text(const trace *run, FILE *out);
void trace_write_summary_json(const trace *run, FILE *out);

/* Fig. 5: the triangular table of n matrices with its linear numbers. With a cell (its number from 1;
 * 0 for none) Fig. 6: the operands of that cell, pair by pair. */
typedef enum layout_format { LAYOUT_TEXT, LAYOUT_SVG, LAYOUT_JSON } layout_format;
enum { LAYOUT_MAX_MATRICES = 60 }; /* for text and SVG */
void layout_write(size_t n, size_t cell, layout_format format, FILE *out, bool colour);

#endif
