#include "trace_view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE_MAX_NUMBERS = 12 };

/* All of them, or the first ones and the last two. */
static size_t add_numbers(char *text, size_t size, const int64_t *numbers, size_t count) {
    const size_t shown_first = count <= TITLE_MAX_NUMBERS ? count : TITLE_MAX_NUMBERS / 2;
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; i++) {
        const char *separator = i == 0 ? " " : ", ";
        if (i == shown_first) {
            i = count - 2;
            separator = ", …, ";
        }
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, separator, numbers[i]);
    }
    return used;
}

void trace_title(const trace *run, char title[TRACE_TITLE_SIZE]) {
    const size_t size = TRACE_TITLE_SIZE;
    const bool is_sdp = run->kind == PDP_LINEAR;
    const char *numbers = !is_sdp ? "dimensions" : run->offset_count == 1 ? "offset" : "offsets";
    size_t used = (size_t)snprintf(title, size, "%s by %.40s: n = %zu, %s", is_sdp ? "S-DP" : "Matrix chain",
                                   run->algorithm, run->n, numbers);
    if (is_sdp) {
        used += add_numbers(title + used, size - used, run->offsets, run->offset_count);
        snprintf(title + used, size - used, ", ⊗ = %.20s", run->op);
    } else {
        add_numbers(title + used, size - used, run->dims, run->n + 1);
    }
}

void trace_initial_values(const trace *run, char text[TRACE_TITLE_SIZE]) {
    text[0] = '\0';
    if (run->kind == PDP_LINEAR) {
        const size_t count = (size_t)run->offsets[0];
        const size_t used = (size_t)snprintf(text, TRACE_TITLE_SIZE, "initial value%s", count == 1 ? "" : "s");
        add_numbers(text + used, TRACE_TITLE_SIZE - used, run->presets, count);
    }
}

uint32_t trace_flags(const pdp_operation *operations, size_t count) {
    uint32_t flags = 0;
    for (size_t i = 0; i < count; i++) {
        flags |= operations[i].flags;
    }
    return flags;
}

size_t trace_slot(const trace *run, uint32_t number) {
    return run->kind == PDP_LINEAR ? number : number - 1;
}

void trace_slot_label(const trace *run, size_t slot, char label[16]) {
    if (slot >= run->cells) {
        snprintf(label, 16, "t%zu", slot - run->cells + 1);
    } else {
        snprintf(label, 16, "%zu", slot + (run->kind == PDP_LINEAR ? 0 : 1));
    }
}

/* ---- Words ---- */

static trace_piece *add_text(trace_piece *pieces, size_t *count, const char *text) {
    trace_piece *piece = &pieces[(*count)++];
    *piece = (trace_piece){.text = ""};
    snprintf(piece->text, sizeof piece->text, "%s", text);
    return piece;
}

static trace_piece *add_cell(const trace *run, trace_piece *pieces, size_t *count, uint32_t number) {
    const size_t slot = trace_slot(run, number);
    char label[16];
    char name[24];
    trace_slot_label(run, slot, label);
    snprintf(name, sizeof name, slot < run->cells ? "ST[%s]" : "%s", label);
    return add_text(pieces, count, name);
}

size_t trace_describe(const trace *run, const pdp_operation *operation, trace_piece pieces[TRACE_MAX_PIECES]) {
    const uint32_t flags = operation->flags;
    const bool has_left = operation->operand[0] != PDP_NO_OPERAND;
    const bool has_right = operation->operand[1] != PDP_NO_OPERAND;
    const char *combine = run->kind == PDP_LINEAR ? " ⊗= " : " ↓= ";
    size_t count = 0;
    char text[40];
    snprintf(text, sizeof text, "T%" PRIu32 ": ", operation->thread);
    add_text(pieces, &count, text);
    add_cell(run, pieces, &count, operation->target)->conflict = (flags & PDP_TARGET_CONFLICT) != 0;
    /* Two operands: f(l,r) of a matrix chain, or the two terms of a 2-by-2 thread. */
    const bool is_function = has_left && has_right && run->kind == PDP_INTERVAL;
    snprintf(text, sizeof text, "%s%s", (flags & PDP_STORES) != 0 ? " = " : combine, is_function ? "f(" : "");
    add_text(pieces, &count, text);
    if (has_left) {
        trace_piece *left = add_cell(run, pieces, &count, operation->operand[0]);
        left->hazard = (flags & PDP_LEFT_HAZARD) != 0;
        left->conflict = (flags & PDP_LEFT_CONFLICT) != 0;
    }
    if (has_left && has_right) {
        add_text(pieces, &count, is_function ? "," : " ⊗ ");
    }
    if (has_right) {
        trace_piece *right = add_cell(run, pieces, &count, operation->operand[1]);
        right->hazard = (flags & PDP_RIGHT_HAZARD) != 0;
        right->conflict = (flags & PDP_RIGHT_CONFLICT) != 0;
    }
    add_text(pieces, &count, is_function ? ")" : "");
    if ((flags & PDP_FINISHES) != 0) {
        snprintf(text, sizeof text, "final %" PRId64, operation->value);
        add_text(pieces, &count, text)->final = true;
    }
    return count;
}

/* ---- Progress ---- */

void trace_progress_advance(trace_progress *progress, const trace *run, const pdp_operation *operations, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t side = 0; side < 2; side++) {
            const uint32_t operand = operations[i].operand[side];
            const size_t slot = operand == PDP_NO_OPERAND ? 0 : trace_slot(run, operand);
            if (slot >= run->cells && slot < TRACE_MAX_SLOTS) {
                progress->done[slot] = 0;
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        const size_t slot = trace_slot(run, operations[i].target);
        if (slot < TRACE_MAX_SLOTS) {
            progress->done[slot] = slot < run->cells ? progress->done[slot] + 1 : 1;
        }
    }
}

static void count_operations(trace_progress *progress, const trace *run, const pdp_step *step) {
    for (size_t i = 0; i < step->count; i++) { /* every scratch slot is a target before it is an operand */
        const size_t slot = trace_slot(run, step->operations[i].target);
        progress->slots = slot >= progress->slots ? slot + 1 : progress->slots;
        if (slot < TRACE_MAX_SLOTS) {
            progress->total[slot] = slot < run->cells ? progress->total[slot] + 1 : 1;
        }
    }
}

/* ---- Collecting ---- */

/* The array with room for `needed` items, or NULL. */
static void *grow(void *array, size_t *room, size_t needed, size_t size) {
    if (needed <= *room) {
        return array;
    }
    const size_t larger = *room * 2 > needed ? *room * 2 : needed + 64;
    void *grown = realloc(array, larger * size);
    *room = grown ? larger : *room;
    return grown;
}

int trace_collect(void *context, const pdp_step *step) {
    trace *run = context;
    count_operations(&run->start, run, step);
    if (step->number < run->first_step) {
        trace_progress_advance(&run->start, run, step->operations, step->count);
    }
    if (step->number < run->first_step || step->number > run->last_step) {
        return 0;
    }
    const size_t count = run->operation_count + step->count;
    run->is_too_long = count > TRACE_MAX_OPERATIONS;
    if (run->is_too_long) {
        return 1;
    }
    pdp_operation *operations = grow(run->operations, &run->operation_room, count, sizeof *operations);
    run->operations = operations ? operations : run->operations;
    trace_step *steps = grow(run->steps, &run->step_room, run->step_count + 1, sizeof *steps);
    run->steps = steps ? steps : run->steps;
    run->is_out_of_memory = !operations || !steps;
    if (run->is_out_of_memory) {
        return 1;
    }
    memcpy(operations + run->operation_count, step->operations, step->count * sizeof *operations);
    steps[run->step_count++] = (trace_step){step->number, run->operation_count, step->count};
    run->operation_count = count;
    return 0;
}
