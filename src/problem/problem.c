#include "problem/problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static pdp_problem *create(pdp_problem **out, pdp_kind kind) {
    pdp_problem *problem = *out = calloc(1, sizeof *problem);
    if (problem) {
        problem->kind = kind;
    }
    return problem;
}

/* ---- S-DP ---- */

/* Definition 1 of the paper: a_1 > ... > a_k > 0, and a_1 presets. */
static pdp_status check_offsets(const pdp_sdp *sdp, pdp_error *error) {
    if (sdp->n == 0) {
        return pdp_error_set(error, PDP_BAD_INPUT, "n is 0, and must be at least 1");
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

static int64_t reduce(int64_t value, int64_t modulus) {
    int64_t rest = value % modulus;
    return rest < 0 ? rest + modulus : rest;
}

pdp_status pdp_problem_create_sdp(pdp_problem **out, const pdp_sdp *sdp) {
    pdp_problem *problem = create(out, PDP_SDP);
    if (!problem) {
        return PDP_NO_MEMORY;
    }
    pdp_error *error = &problem->error;
    if (check_offsets(sdp, error) != PDP_OK || check_operator(sdp, error) != PDP_OK) {
        return error->status;
    }
    problem->n = sdp->n;
    problem->offset_count = sdp->offset_count;
    problem->op = sdp->op;
    problem->overflow = sdp->overflow;
    problem->modulus = sdp->modulus;
    problem->offsets = pdp_array_allocate(sdp->offset_count, sizeof *problem->offsets, error);
    problem->presets = pdp_array_allocate(sdp->preset_count, sizeof *problem->presets, error);
    if (!problem->offsets || !problem->presets) {
        return error->status;
    }
    for (size_t j = 0; j < sdp->offset_count; j++) {
        problem->offsets[j] = (size_t)sdp->offsets[j];
    }
    for (size_t i = 0; i < sdp->preset_count; i++) {
        int64_t preset = sdp->presets[i];
        problem->presets[i] = sdp->overflow == PDP_OVERFLOW_MOD ? reduce(preset, sdp->modulus) : preset;
    }
    return PDP_OK;
}

/* ---- Matrix chain ---- */

/* Every way to multiply m of the matrices takes m - 1 products, each of at most the product of the
 * three largest dimensions. So (n-1) times that bounds every value a solver can meet, and if it fits
 * into int64 nothing can overflow. */
static pdp_status check_cost_bound(const int64_t *dims, size_t count, pdp_error *error) {
    int64_t largest[3] = {1, 1, 1};
    for (size_t m = 0; m < count; m++) {
        int64_t dim = dims[m];
        for (int rank = 0; rank < 3; rank++) {
            if (dim > largest[rank]) {
                int64_t smaller = largest[rank];
                largest[rank] = dim;
                dim = smaller;
            }
        }
    }
    int64_t bound = (int64_t)count - 2;
    for (int rank = 0; rank < 3; rank++) {
        if (__builtin_mul_overflow(bound, largest[rank], &bound)) {
            double estimate = (double)(count - 2) * (double)largest[0] * (double)largest[1] * (double)largest[2];
            return pdp_error_set(error, PDP_BAD_INPUT,
                                 "the cost can reach %.6g (%zu products of up to %" PRId64 "*%" PRId64 "*%" PRId64
                                 "), beyond int64's 9.22337e+18",
                                 estimate, count - 2, largest[0], largest[1], largest[2]);
        }
    }
    return PDP_OK;
}

pdp_status pdp_problem_create_mcm(pdp_problem **out, const int64_t *dims, size_t count) {
    pdp_problem *problem = create(out, PDP_MCM);
    if (!problem) {
        return PDP_NO_MEMORY;
    }
    pdp_error *error = &problem->error;
    if (count < 2) {
        return pdp_error_set(error, PDP_BAD_INPUT,
                             "there %s %zu dimension%s, and must be at least 2: one more than matrices",
                             count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    }
    for (size_t m = 0; m < count; m++) {
        if (dims[m] < 1) {
            return pdp_error_set(error, PDP_BAD_INPUT, "dimension %zu is %" PRId64 ", and must be at least 1", m + 1,
                                 dims[m]);
        }
    }
    if (check_cost_bound(dims, count, error) != PDP_OK) {
        return error->status;
    }
    problem->n = count - 1;
    problem->dims = pdp_array_allocate(count, sizeof *dims, error);
    if (!problem->dims) {
        return error->status;
    }
    memcpy(problem->dims, dims, count * sizeof *dims);
    return PDP_OK;
}

const char *pdp_problem_error(const pdp_problem *problem) {
    return problem ? problem->error.text : "out of memory";
}

void pdp_problem_free(pdp_problem *problem) {
    if (problem) {
        free(problem->offsets);
        free(problem->presets);
        free(problem->dims);
        free(problem);
    }
}
