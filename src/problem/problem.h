/* A problem: a recurrence with a checked copy of its data. */
#ifndef PDP_PROBLEM_PROBLEM_H
#define PDP_PROBLEM_PROBLEM_H

#include "core/error.h"
#include "recurrence/interpret.h"

/* Of a linear table: more than any memory has, for methods that need none, and little enough for indices. Byte counts
 * saturate. */
#define PDP_MOST_CELLS ((int64_t)1 << 62)

struct pdp_problem {
    pdp_recurrence *recurrence; /* shared */
    _Atomic size_t users;       /* besides its creator: plans and solutions */
    bool is_checked;
    pdp_problem *whole; /* of a problem with another number of cells: the one whose data it has. NULL otherwise */
    bool is_extended;   /* it has more cells than the size clause says */

    /* As given; sizes and the rest as worked out by the check. */
    pdp_bound_input inputs[PDP_MAX_INPUTS];
    bool has_input[PDP_MAX_INPUTS];
    int64_t params[PDP_MAX_PARAMS];
    double real_params[PDP_MAX_PARAMS];
    bool has_param[PDP_MAX_PARAMS];
    int64_t sizes[PDP_MAX_DIMS];
    pdp_op combine;      /* also where the recurrence leaves it to a parameter */
    pdp_element element; /* the recurrence's, but for S-DP with an overflow policy */
    bool keeps_plain;    /* see pdp_bounds_keep_plain */
    bool has_source;     /* the source clause holds: what it uses is given */
    bool has_option[PDP_MAX_OPTIONS];

    pdp_shape shape;
    size_t n; /* linear: cells; interval: points - 1, which is the matrices of a chain */

    /* Linear. */
    size_t *offsets; /* as the offset clause gives them */
    size_t offset_count;
    size_t preset_count;
    size_t most_presets; /* however few cells there are */

    /* The paper's S-DP: offsets fall, presets are as many as the first and already reduced by the modulus, there are
     * neither weights nor a source. `presets` is NULL for any other linear problem. */
    int64_t *presets;
    pdp_operator op;
    pdp_overflow overflow;
    int64_t modulus; /* also of a recurrence that is modulo a parameter */

    /* A matrix chain, whatever the recurrence is called: n + 1 dimensions. NULL for any other interval problem; `dims`
     * also where a cost may not fit into int64. */
    const int64_t *chain;
    const int64_t *dims;

    pdp_error error;
};

/* One more user, who ends with pdp_problem_free. Returns the problem. */
pdp_problem *pdp_problem_share(const pdp_problem *problem);

/* A checked linear problem with another number of cells, 1 .. PDP_MOST_CELLS: fewer, or more than its size clause says.
 * Inputs stay as they are, so that only what looks at all indices may solve one with more. It shares the data of the
 * other, or is the same if their cells are as many. PDP_BAD_INPUT if a cell reaches back beyond the presets. */
pdp_status pdp_problem_resize(pdp_problem **out, const pdp_problem *problem, size_t cells, pdp_error *error);

/* Interprets with this problem's data; the bindings point into the problem. */
pdp_bindings pdp_problem_bindings(const pdp_problem *problem);

/* The greatest offset by which some cell reads another; 0 if there is none. */
size_t pdp_problem_reach(const pdp_problem *problem);

/* The operator by its name: a gcd that is alone is combined as a sum. */
static inline pdp_op pdp_problem_asked_combine(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    return r->combine_param != PDP_NO_NODE ? (pdp_op)problem->params[r->combine_param] : r->combine;
}

/* A cell may have no term, and is infeasible then: infinite, so that min or max takes any other. (Sets have no
 * infinity: theirs is the largest of them, or none.) What is made of an infeasible cell is infeasible. */
static inline bool pdp_problem_can_miss(const pdp_problem *problem) {
    return problem->shape == PDP_LINEAR && problem->recurrence->missing_skip && !problem->has_source &&
           (problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX) && problem->element != PDP_ELEMENT_BITS;
}

/* The problem is the paper's: its methods can run it. */
static inline bool pdp_problem_is_paper(const pdp_problem *problem) {
    return problem->shape == PDP_LINEAR ? problem->presets != NULL : problem->dims != NULL;
}

#endif
