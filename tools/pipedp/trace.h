/* A recorded run as the renderers see it: every step, whole. */
#ifndef PIPEDP_TRACE_H
#define PIPEDP_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "pipedp.h"

/* One round of the run; a step of the 2-by-2 pipeline has two, all others one. */
typedef struct trace_round {
    uint64_t step; /* from 1; a step in which nobody works has no round */
    uint32_t round;
    size_t first; /* index of its first operation */
    size_t count;
} trace_round;

typedef struct trace {
    pdp_kind kind;
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
    pdp_operation *operations; /* all of them, in the paper's numbering (see pipedp.h) */
    size_t operation_count;
    trace_round *rounds;
    size_t round_count;

    const pdp_solution *solution;
    const pdp_record *record;
    uint32_t width; /* of the machine models */
    uint32_t latency;
} trace;

/* Figures 3, 4 and 7 of the paper, step by step. */
void trace_write_text(const trace *run, FILE *out, bool colour);
void trace_write_svg(const trace *run, FILE *out);
void trace_write_json(const trace *run, FILE *out);

/* The counts alone. */
void trace_write_summary_text(const trace *run, FILE *out);
void trace_write_summary_json(const trace *run, FILE *out);

/* Largest table and most rounds that are drawn as a picture. */
enum { TRACE_SVG_MAX_CELLS = 300, TRACE_SVG_MAX_ROUNDS = 1000 };

/* Fig. 5: the triangular table of n matrices with its linear numbers. With a cell (its number from 1;
 * 0 for none) Fig. 6: the operands of that cell, pair by pair. */
typedef enum layout_format { LAYOUT_TEXT, LAYOUT_SVG, LAYOUT_JSON } layout_format;
enum { LAYOUT_MAX_MATRICES = 60 }; /* for text and SVG */
void layout_write(size_t n, size_t cell, layout_format format, FILE *out, bool colour);

#endif
