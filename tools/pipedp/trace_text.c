/* Figures 3, 4 and 7 as text: a line for each step with a column for each cell, and what the threads do. */
#include <inttypes.h>
#include <string.h>

#include "text_measure.h"
#include "trace_view.h"

enum { GRID_MAX_WIDTH = 100, LINE_WIDTH = 132, WORDS_MIN_WIDTH = 48, LABEL_WIDTH = 7 };

#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define GREEN "\033[1;32m"
#define PLAIN "\033[0m"

typedef struct page {
    FILE *out;
    const trace *run;
    bool colour;
    bool has_grid;
    trace_progress progress; /* with the grid: before the step that is written */
    int column;              /* width of a cell's column */
    size_t words;            /* column where the words begin */
    uint32_t flags;          /* of all the operations */
} page;

static void write_coloured(const page *p, const char *colour, const char *text) {
    if (p->colour && colour) {
        fprintf(p->out, "%s%s%s", colour, text, PLAIN);
    } else {
        fputs(text, p->out);
    }
}

/* ---- Words ---- */

static size_t write_words(const page *p, const pdp_operation *operation, bool measure_only) {
    trace_piece pieces[TRACE_MAX_PIECES];
    const size_t count = trace_describe(p->run, operation, pieces);
    size_t width = 0;
    for (size_t i = 0; i < count; i++) {
        const trace_piece *piece = &pieces[i];
        char text[64];
        snprintf(text, sizeof text, "%s%.40s%s%s", piece->final ? " " : "", piece->text, piece->hazard ? "!hazard" : "",
                 piece->conflict ? "!conflict" : "");
        width += text_columns(text);
        if (!measure_only) {
            write_coloured(p, piece->hazard ? RED : piece->conflict ? YELLOW : piece->final ? GREEN : NULL, text);
        }
    }
    return width;
}

/* The operations of a step from the column `words` on; those that do not fit on the line go under it. */
static void write_operations(const page *p, const trace_step *step) {
    const size_t limit = p->words + WORDS_MIN_WIDTH > LINE_WIDTH ? p->words + WORDS_MIN_WIDTH : LINE_WIDTH;
    size_t at = p->words;
    for (size_t i = 0; i < step->count; i++) {
        const pdp_operation *operation = &p->run->operations[step->first + i];
        const size_t width = write_words(p, operation, true);
        if (i > 0 && at + 3 + width > limit) {
            fprintf(p->out, "\n%*s", (int)p->words, "");
            at = p->words;
        } else if (i > 0) {
            fputs("   ", p->out);
            at += 3;
        }
        at += write_words(p, operation, false);
    }
    fputc('\n', p->out);
}

/* ---- The grid ---- */

/* Whether the step reads the cell in this slot too early. */
static bool is_hazard(const page *p, const trace_step *step, size_t slot) {
    for (size_t i = 0; i < step->count; i++) {
        const pdp_operation *operation = &p->run->operations[step->first + i];
        if (((operation->flags & PDP_LEFT_HAZARD) != 0 && trace_slot(p->run, operation->operand[0]) == slot) ||
            ((operation->flags & PDP_RIGHT_HAZARD) != 0 && trace_slot(p->run, operation->operand[1]) == slot)) {
            return true;
        }
    }
    return false;
}

/* The thread on the slot, or the state that the slot is in. */
static void write_slot(const page *p, const trace_step *step, size_t slot) {
    const uint32_t done = p->progress.done[slot];
    const bool is_final = slot < p->run->cells && done == p->progress.total[slot];
    const bool is_early = is_hazard(p, step, slot);
    const char *colour = is_final ? GREEN : NULL;
    size_t threads = 0;
    char state[16];
    char entry[24];
    snprintf(state, sizeof state, "%s", is_final ? "#" : done > 0 ? "o" : ".");
    for (size_t i = 0; i < step->count; i++) {
        const pdp_operation *operation = &p->run->operations[step->first + i];
        if (trace_slot(p->run, operation->target) == slot && threads++ == 0) {
            snprintf(state, sizeof state, "%" PRIu32, operation->thread);
            colour = (operation->flags & PDP_TARGET_CONFLICT) != 0 ? YELLOW : colour;
        }
    }
    snprintf(entry, sizeof entry, "%s%s%s", state, threads > 1 ? "+" : "", is_early ? "!" : "");
    fprintf(p->out, "%*s", p->column - (int)strlen(entry), "");
    write_coloured(p, is_early ? RED : colour, entry);
}

static void write_grid_line(const page *p, const trace_step *step) {
    for (size_t slot = 0; slot < p->progress.slots; slot++) {
        fputs(slot == p->run->cells ? " |" : "", p->out);
        write_slot(p, step, slot);
    }
    fputs("   ", p->out);
}

static void write_grid_header(const page *p) {
    fprintf(p->out, "# final   o begun   . untouched   2 thread 2 at work%s%s\n\n%-*s",
            (p->flags & TRACE_HAZARD) != 0 ? "   ! read too early" : "",
            (p->flags & PDP_TARGET_CONFLICT) != 0 ? "   1+ thread 1 and others" : "", LABEL_WIDTH, "step");
    for (size_t slot = 0; slot < p->progress.slots; slot++) {
        char label[16];
        trace_slot_label(p->run, slot, label);
        fprintf(p->out, "%s%*s", slot == p->run->cells ? " |" : "", p->column, label);
    }
    fputc('\n', p->out);
}

/* Decides whether there is a grid, and where the words begin. */
static void measure(page *p) {
    const trace *run = p->run;
    uint32_t last_thread = 1;
    for (size_t i = 0; i < run->operation_count; i++) {
        const uint32_t thread = run->operations[i].thread;
        last_thread = thread > last_thread ? thread : last_thread;
    }
    const int marks = ((p->flags & PDP_TARGET_CONFLICT) != 0) + ((p->flags & TRACE_HAZARD) != 0);
    const int entry = text_digits(last_thread) + marks;
    const int label = text_digits(run->cells);
    p->column = 1 + (entry > label ? entry : label);
    p->words = LABEL_WIDTH;
    if (p->progress.slots <= GRID_MAX_WIDTH) {
        const bool has_scratch = p->progress.slots > run->cells;
        const size_t width = LABEL_WIDTH + p->progress.slots * (size_t)p->column + (has_scratch ? 2 : 0);
        p->has_grid = width <= GRID_MAX_WIDTH;
        p->words = p->has_grid ? width + 3 : LABEL_WIDTH;
    }
}

static void write_step(page *p, const trace_step *step) {
    fprintf(p->out, "%-*" PRIu64, LABEL_WIDTH, step->number);
    if (p->has_grid) {
        write_grid_line(p, step);
    }
    if (step->count > 0) {
        write_operations(p, step);
        trace_progress_advance(&p->progress, p->run, p->run->operations + step->first, step->count);
    } else {
        fputs("idle\n", p->out);
    }
}

static void write_heading(const page *p) {
    const trace *run = p->run;
    char text[TRACE_TITLE_SIZE];
    trace_title(run, text);
    fprintf(p->out, "%s\n", text);
    trace_initial_values(run, text);
    fprintf(p->out, "%s%s%s", text, text[0] != '\0' ? "\n" : "",
            run->guaranteed ? "" : "kept for study: the result may be wrong\n");
    if (run->last_step - run->first_step + 1 < run->record->steps) {
        fprintf(p->out, "steps %" PRIu64 " to %" PRIu64 " of %" PRIu64 "\n", run->first_step, run->last_step,
                run->record->steps);
    }
    if (p->has_grid) {
        write_grid_header(p);
    } else {
        fputs("\nstep\n", p->out);
    }
}

void trace_write_text(const trace *run, FILE *out, bool colour) {
    page p = {.out = out, .run = run, .colour = colour, .progress = run->start};
    p.flags = trace_flags(run->operations, run->operation_count);
    measure(&p);
    write_heading(&p);
    size_t next = 0;
    for (uint64_t number = run->first_step; number <= run->last_step; number++) {
        const bool is_idle = next == run->step_count || run->steps[next].number > number;
        write_step(&p, is_idle ? &(trace_step){.number = number} : &run->steps[next++]);
    }
    fputc('\n', out);
    trace_write_summary_text(run, out);
}

/* ---- The summary ---- */

static void write_count(FILE *out, const char *name, uint64_t count) {
    fprintf(out, "%-24s%12" PRIu64 "\n", name, count);
}

void trace_write_summary_text(const trace *run, FILE *out) {
    const pdp_record *record = run->record;
    write_count(out, "steps", record->steps);
    write_count(out, "operations", record->operations);
    write_count(out, "threads", record->threads);
    fprintf(out, "%-24s%12.1f %%\n", "utilisation", 100 * record->utilisation);
    write_count(out, "hazards", record->hazards);
    fprintf(out, "%-24s", "");
    for (uint32_t s = 0; s < record->substeps; s++) {
        fprintf(out, "%12s", pdp_substep_name(run->kind, s));
    }
    fprintf(out, "\n%-24s", "conflicts");
    for (uint32_t s = 0; s < record->substeps; s++) {
        fprintf(out, "%12" PRIu64, record->conflicts[s]);
    }
    fprintf(out, "\n%-24s", "most threads on a cell");
    for (uint32_t s = 0; s < record->substeps; s++) {
        fprintf(out, "%12" PRIu32, record->max_multiplicity[s]);
    }
    fputc('\n', out);
    write_count(out, "cost, serial", record->cost_serial);
    fprintf(out, "%-24s%12" PRIu64 "   width %" PRIu32 ", latency %" PRIu32 "\n", "cost, DMM", record->cost_dmm,
            run->width, run->latency);
    fprintf(out, "%-24s%12" PRIu64 "   the same\n", "cost, UMM", record->cost_umm);
}
