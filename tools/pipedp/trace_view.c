#include "trace_view.h"

#include <inttypes.h>
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
    const bool is_sdp = run->kind == PDP_SDP;
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

size_t trace_text_width(const char *text) {
    size_t width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xC0) != 0x80; /* not a continuation byte */
    }
    return width;
}

size_t trace_slot(const trace *run, uint32_t number) {
    return run->kind == PDP_SDP ? number : number - 1;
}

void trace_slot_label(const trace *run, size_t slot, char label[16]) {
    if (slot >= run->cells) {
        snprintf(label, 16, "t%zu", slot - run->cells + 1);
    } else {
        snprintf(label, 16, "%zu", slot + (run->kind == PDP_SDP ? 0 : 1));
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
    const char *combine = run->kind == PDP_SDP ? " ⊗= " : " ↓= ";
    size_t count = 0;
    char text[40];
    snprintf(text, sizeof text, "T%" PRIu32 ": ", operation->thread);
    add_text(pieces, &count, text);
    add_cell(run, pieces, &count, operation->target)->conflict = (flags & PDP_TARGET_CONFLICT) != 0;
    /* Two operands: f(l,r) of a matrix chain, or the two terms of a 2-by-2 thread. */
    const bool is_function = has_left && has_right && run->kind == PDP_MCM;
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

static size_t count_slots(const trace *run) {
    size_t slots = run->cells;
    for (size_t i = 0; i < run->operation_count; i++) { /* every scratch slot is a target before it is an operand */
        const size_t slot = trace_slot(run, run->operations[i].target);
        slots = slot >= slots ? slot + 1 : slots;
    }
    return slots;
}

bool trace_progress_begin(trace_progress *progress, const trace *run) {
    memset(progress, 0, sizeof *progress);
    progress->slots = count_slots(run);
    if (progress->slots > TRACE_MAX_SLOTS) {
        return false;
    }
    for (size_t i = 0; i < run->operation_count; i++) {
        progress->total[trace_slot(run, run->operations[i].target)]++;
    }
    for (size_t slot = run->cells; slot < progress->slots; slot++) {
        progress->total[slot] = 1;
    }
    return true;
}

void trace_progress_advance(trace_progress *progress, const trace *run, const trace_step *step) {
    const pdp_operation *operations = run->operations + step->first;
    for (size_t i = 0; i < step->count; i++) {
        for (size_t side = 0; side < 2; side++) {
            const uint32_t operand = operations[i].operand[side];
            if (operand != PDP_NO_OPERAND && trace_slot(run, operand) >= run->cells) {
                progress->done[trace_slot(run, operand)] = 0;
            }
        }
    }
    for (size_t i = 0; i < step->count; i++) {
        const size_t slot = trace_slot(run, operations[i].target);
        progress->done[slot] = slot < run->cells ? progress->done[slot] + 1 : 1;
    }
}
