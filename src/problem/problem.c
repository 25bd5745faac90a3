#include "problem/problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A problem of a built-in recurrence, still without data. NULL without memory; otherwise look at its error. */
static pdp_problem *create(pdp_problem **out, const char *name) {
    pdp_recurrence *recurrence = NULL;
    *out = NULL;
    if (pdp_recurrence_load(&recurrence, name) == PDP_OK) {
        pdp_problem_create(out, recurrence);
    } else if (recurrence) {
        *out = calloc(1, sizeof **out);
        if (*out) {
            (*out)->error = recurrence->error;
        }
    }
    pdp_recurrence_free(recurrence);
    return *out;
}

/* ---- S-DP ---- */

/* Definition 1 of the paper: a_1 > ... > a_k > 0, and a_1 presets. */
static pdp_status check_offsets(const pdp_sdp *sdp, pdp_error *error) {
    if (sdp->n == 0) {
        return pdp_error_set(error, PDP_BAD_INPUT, "n is 0, and must be at least 1");
    }
    if (sdp->n > (size_t)PDP_MOST_CELLS) {
        return pdp_error_set(error, PDP_BAD_INPUT, "n is %zu, and must be at most %zu", sdp->n, (size_t)PDP_MOST_CELLS);
    }
    if (sdp->offset_count == 0) {
        return pdp_error_set(error, PDP_BAD_INPUT, "there are no offsets, and must be at least 1");
    }
    for (size_t j = 0; j < sdp->offset_count; j++) {
        int64_t offset = sdp->offsets[j];
        if (offset <= 0) {
            return pdp_error_set(error, PDP_BAD_INPUT, "offset %zu is %" PRId64 ", and must be positive", j + 1,
                                 offset);
        }
        if (j > 0 && offset >= sdp->offsets[j - 1]) {
            return pdp_error_set(error, PDP_BAD_INPUT,
                                 "offset %zu is %" PRId64 ", and must be less than offset %zu, which is %" PRId64,
                                 j + 1, offset, j, sdp->offsets[j - 1]);
        }
    }
    uint64_t first = (uint64_t)sdp->offsets[0];
    if (first > sdp->n) {
        return pdp_error_set(error, PDP_BAD_INPUT, "offset 1 is %" PRIu64 ", and must be at most n, which is %zu",
                             first, sdp->n);
    }
    if (sdp->preset_count != first) {
        return pdp_error_set(
            error, PDP_BAD_INPUT, "there %s %zu initial value%s, and must be %" PRIu64 ", as many as offset 1",
            sdp->preset_count == 1 ? "is" : "are", sdp->preset_count, sdp->preset_count == 1 ? "" : "s", first);
    }
    return PDP_OK;
}

static pdp_status check_operator(const pdp_sdp *sdp, pdp_error *error) {
    if ((unsigned)sdp->op > PDP_GCD) {
        return pdp_error_set(error, PDP_BAD_INPUT, "operator %u is not known", (unsigned)sdp->op);
    }
    if ((unsigned)sdp->overflow > PDP_OVERFLOW_MOD) {
        return pdp_error_set(error, PDP_BAD_INPUT, "overflow policy %u is not known", (unsigned)sdp->overflow);
    }
    if (sdp->overflow != PDP_OVERFLOW_ERROR && sdp->op != PDP_ADD && sdp->op != PDP_MUL) {
        return pdp_error_set(error, PDP_BAD_INPUT, "overflow policy '%s' is for add and mul, not for %s",
                             sdp->overflow == PDP_OVERFLOW_WRAP ? "wrap" : "mod", pdp_operator_name(sdp->op));
    }
    if (sdp->overflow == PDP_OVERFLOW_MOD && sdp->modulus < 2) {
        return pdp_error_set(error, PDP_BAD_INPUT, "the modulus is %" PRId64 ", and must be at least 2", sdp->modulus);
    }
    return PDP_OK;
}

/* The recurrence's fields, and the element type that the overflow policy asks for. */
static pdp_status set_fields(pdp_problem *problem, const pdp_sdp *sdp) {
    const char *op = pdp_operator_name(sdp->op);
    const int64_t n = (int64_t)sdp->n;
    pdp_problem_set_text(problem, "op", op, strlen(op));
    pdp_problem_set_whole(problem, "n", &n, 1, 0);
    pdp_problem_set_whole(problem, "a", sdp->offsets, sdp->offset_count, 0);
    pdp_problem_set_whole(problem, "init", sdp->presets, sdp->preset_count, 0);
    problem->element = sdp->overflow == PDP_OVERFLOW_MOD    ? PDP_ELEMENT_MOD
                       : sdp->overflow == PDP_OVERFLOW_WRAP ? PDP_ELEMENT_BITS
                                                            : PDP_ELEMENT_WHOLE;
    problem->modulus = sdp->modulus;
    return pdp_problem_check(problem);
}

pdp_status pdp_problem_create_sdp(pdp_problem **out, const pdp_sdp *sdp) {
    pdp_problem *problem = create(out, "sdp");
    if (!problem) {
        return PDP_NO_MEMORY;
    }
    pdp_error *error = &problem->error;
    if (error->status != PDP_OK || check_offsets(sdp, error) != PDP_OK || check_operator(sdp, error) != PDP_OK ||
        set_fields(problem, sdp) != PDP_OK) {
        return error->status;
    }
    return PDP_OK;
}

/* ---- Matrix chain ---- */

pdp_status pdp_problem_create_mcm(pdp_problem **out, const int64_t *dims, size_t count) {
    pdp_problem *problem = create(out, "mcm");
    if (!problem) {
        return PDP_NO_MEMORY;
    }
    pdp_error *error = &problem->error;
    if (error->status == PDP_OK && count < 2) {
        return pdp_error_set(error, PDP_BAD_INPUT,
                             "there %s %zu dimension%s, and must be at least 2: one more than matrices",
                             count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    }
    for (size_t m = 0; error->status == PDP_OK && m < count; m++) {
        if (dims[m] < 1) {
            return pdp_error_set(error, PDP_BAD_INPUT, "dimension %zu is %" PRId64 ", and must be at least 1", m + 1,
                                 dims[m]);
        }
    }
    pdp_problem_set_whole(problem, "p", dims, count, 0);
    return pdp_problem_check(problem);
}
