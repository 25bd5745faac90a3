/* Sums with fixed weights: methods that know more of them than their terms. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "cpu/series.h"
#include "plan/plan.h"
#include "plan/type.h"
#include "problem/bound.h"
#include "problem/linear_form.h"
#include "solution/witness.h"

/* ---- What a problem is to them ---- */

static pdp_ring_kind ring_of(const pdp_problem *problem) {
    return problem->element == PDP_ELEMENT_MOD    ? PDP_RING_MOD
           : problem->element == PDP_ELEMENT_BITS ? PDP_RING_WRAP
                                                  : PDP_RING_EXACT;
}

/* Whether a whole number is one of the problem's. */
static bool fits(const pdp_problem *problem, pdp_wide value) {
    const pdp_wide most = problem->element == PDP_ELEMENT_I32 ? INT32_MAX : INT64_MAX;
    return value <= most && value >= -most - 1;
}

/* Why it is no sum with fixed weights, or NULL. */
static const char *refuse_form(const pdp_problem *problem) {
    const pdp_recurrence *r = problem->recurrence;
    if (problem->shape != PDP_LINEAR || problem->combine != PDP_OP_ADD) {
        return "it is for sums, by the operator add";
    }
    if (pdp_element_is_real(problem->element)) {
        return "it is for whole numbers and residues, not for floats";
    }
    if (pdp_linear_form_of_term(r) == PDP_TERM_OTHER) {
        return "it is for terms that are a cell times a weight, the same for every i";
    }
    return pdp_linear_form_finish_adds(r) ? NULL : "its finish clause does more than to add";
}

/* A factor in the arithmetic of the ring, brought as near to 0 as it can be. */
static pdp_wide bring_near(pdp_ring_kind kind, int64_t modulus, pdp_wide scale) {
    return kind == PDP_RING_WRAP                         ? (int64_t)(uint64_t)scale
           : kind == PDP_RING_MOD && scale > modulus / 2 ? scale - modulus
                                                         : scale;
}

/* The greatest offset that any cell has; the weights and the shifts added up without their signs. */
typedef struct measure {
    size_t longest;
    pdp_uwide weights;
    pdp_uwide shifts;
} measure;

/* Numbers are below 2^121; a sum that is larger proves nothing, and need not grow. */
static pdp_uwide add_magnitude(pdp_uwide sum, pdp_wide value) {
    return sum >> 122 != 0 ? sum : sum + (pdp_uwide)(value < 0 ? -value : value);
}

static measure measure_terms(const pdp_problem *problem) {
    const pdp_term_form form = pdp_linear_form_of_term(problem->recurrence);
    const pdp_ring_kind kind = ring_of(problem);
    pdp_bindings bindings = pdp_problem_bindings(problem);
    measure found = {0};
    for (size_t j = 0; j < problem->offset_count; j++) {
        pdp_wide scale = 0, shift = 0;
        if (problem->offsets[j] >= problem->n) {
            continue;
        }
        pdp_linear_form_weigh(&bindings, form, j, &scale, &shift);
        found.longest = problem->offsets[j] > found.longest ? problem->offsets[j] : found.longest;
        found.weights = add_magnitude(found.weights, bring_near(kind, problem->modulus, scale));
        found.shifts = add_magnitude(found.shifts, shift);
    }
    return found;
}

/* The terms by their distances, and x(i). */
typedef struct sums {
    const pdp_problem *problem;
    pdp_ring_kind kind;
    pdp_bindings bindings;
    size_t longest;
    int64_t *weights; /* longest + 1 of them */
    pdp_wide *shifts; /* as many, or NULL if all are 0 */
    bool has_source;  /* or something that finish adds */
    size_t next;      /* distance whose shift no cell has had */
    pdp_wide shifted; /* what the cell has of them */
} sums;

static uint64_t sums_bytes(const measure *found) {
    const uint64_t each = sizeof(int64_t) + (found->shifts > 0 ? sizeof(pdp_wide) : 0);
    return pdp_bytes_multiply(found->longest + 1, each);
}

/* A sum in the ring's arithmetic: exact, 0 .. P-1, or some number that is the same modulo 2^64. */
static pdp_wide add_in_ring(const sums *s, pdp_wide a, pdp_wide b) {
    if (s->kind == PDP_RING_WRAP) {
        const uint64_t wrapped = (uint64_t)a + (uint64_t)b;
        return (pdp_wide)wrapped;
    }
    const pdp_wide sum = a + b; /* of residues below twice the modulus */
    return s->kind == PDP_RING_MOD && sum >= s->problem->modulus ? sum - s->problem->modulus : sum;
}

static pdp_status sums_create(sums *s, const pdp_problem *problem, const measure *found, pdp_error *error) {
    const pdp_term_form form = pdp_linear_form_of_term(problem->recurrence);
    *s = (sums){.problem = problem,
                .kind = ring_of(problem),
                .bindings = pdp_problem_bindings(problem),
                .longest = found->longest,
                .has_source = problem->has_source || problem->recurrence->finish != PDP_NO_NODE};
    s->weights = pdp_array_allocate(found->longest + 1, sizeof *s->weights, error);
    if (s->weights && found->shifts > 0) {
        s->shifts = pdp_array_allocate(found->longest + 1, sizeof *s->shifts, error);
    }
    for (size_t j = 0; j < problem->offset_count && error->status == PDP_OK; j++) {
        const size_t d = problem->offsets[j];
        pdp_wide scale, shift;
        if (d >= problem->n) {
            continue;
        }
        pdp_linear_form_weigh(&s->bindings, form, j, &scale, &shift);
        if (s->kind == PDP_RING_MOD && s->weights[d] < 0) {
            s->weights[d] += problem->modulus;
        }
        s->weights[d] = (int64_t)bring_near(s->kind, problem->modulus, add_in_ring(s, s->weights[d], scale));
        if (s->shifts) {
            s->shifts[d] = add_in_ring(s, s->shifts[d], shift);
        }
        if (s->bindings.error.status != PDP_OK) {
            *error = s->bindings.error;
        }
    }
    return error->status;
}

static void sums_free(sums *s) {
    free(s->weights);
    free(s->shifts);
}

/* x(i), source and shifts together; asked for i in their order. An error is left in the bindings. */
static pdp_wide find_source(void *context, size_t i) {
    sums *s = context;
    for (; s->shifts && s->next <= i && s->next <= s->longest; s->next++) {
        s->shifted = add_in_ring(s, s->shifted, s->shifts[s->next]);
    }
    return add_in_ring(s, s->shifted,
                       s->has_source ? pdp_linear_form_source(&s->bindings, s->problem, i) : (pdp_wide)0);
}

/* The first cells. PDP_OVERFLOW if one does not fit. */
static pdp_status find_presets(sums *s, size_t first, size_t count, int64_t *presets, pdp_solution *solution) {
    const pdp_problem *problem = s->problem;
    if (problem->presets) {
        memcpy(presets, problem->presets + first, count * sizeof *presets);
        return PDP_OK;
    }
    for (size_t t = 0; t < count; t++) {
        s->bindings.i = (int64_t)(first + t);
        const pdp_wide value = pdp_interpret_element(&s->bindings, problem->recurrence->preset_value).whole;
        if (s->bindings.error.status != PDP_OK) {
            solution->error = s->bindings.error;
            return solution->error.status;
        }
        if (s->kind == PDP_RING_EXACT && !fits(problem, value)) {
            return pdp_solution_fail_overflow(solution, 0, first + t);
        }
        presets[t] = (int64_t)(uint64_t)value;
    }
    return PDP_OK;
}

/* Whole numbers are int64, which series checks. */
static pdp_status choose_type(pdp_plan *plan) {
    const char *wish = plan->options.type;
    plan->stamp.type = PDP_TYPE_I64;
    const char *name = pdp_type_name(&plan->stamp, plan->problem);
    return pdp_wish_is_auto(wish) || strcmp(wish, name) == 0
               ? PDP_OK
               : pdp_error_set(&plan->error, PDP_BAD_INPUT, "method '%s' computes with %s, not with %.40s",
                               plan->method->name, name, wish);
}

/* ---- As a power series ---- */

static pdp_series_job series_job(const pdp_plan *plan, const pdp_problem *problem, const measure *found) {
    const bool is_short = problem->element == PDP_ELEMENT_I32;
    pdp_series_job job = {.kind = ring_of(problem),
                          .modulus = problem->modulus,
                          .lowest = is_short ? INT32_MIN : INT64_MIN,
                          .highest = is_short ? INT32_MAX : INT64_MAX,
                          .cells = problem->n,
                          .preset_count = problem->preset_count,
                          .longest = found->longest,
                          .level = plan->level};
    const pdp_uwide most = job.kind == PDP_RING_MOD ? (pdp_uwide)problem->modulus - 1
                           : is_short               ? (pdp_uwide)1 << 31
                                                    : (pdp_uwide)1 << 63;
    job.bits = pdp_ring_bits(most, found->weights);
    return job;
}

static const char *refuse_series(const pdp_plan *plan, const pdp_problem *problem) {
    const char *refusal = refuse_form(problem);
    if (refusal) {
        return refusal;
    }
    /* No cell before the first that fails leaves its type, so that a sum of products is known to be within bounds. The
     * interpreter gives up beyond 126 bits; 120 are plenty. */
    const measure found = measure_terms(problem);
    if (ring_of(problem) == PDP_RING_EXACT && (found.weights >> 56 != 0 || found.shifts >> 118 != 0)) {
        return "a sum of its terms may leave 120 bits";
    }
    const pdp_series_job job = series_job(plan, problem, &found);
    return pdp_series_refuse(&job);
}

static uint64_t series_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    const measure found = measure_terms(problem);
    const pdp_series_job job = series_job(plan, problem, &found);
    return pdp_bytes_add(pdp_bytes_add(pdp_solution_table_bytes(problem), sums_bytes(&found)), pdp_series_bytes(&job));
}

static double series_operations(const pdp_plan *plan, const pdp_problem *problem) {
    const measure found = measure_terms(problem);
    const pdp_series_job job = series_job(plan, problem, &found);
    return pdp_series_operations(&job);
}

static pdp_status run_series(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    const pdp_problem *problem = solution->problem;
    const measure found = measure_terms(problem);
    pdp_series_job job = series_job(plan, problem, &found);
    pdp_error *error = &solution->error;
    sums s;
    size_t failed = 0;
    if (sums_create(&s, problem, &found, error) == PDP_OK && pdp_solution_add_table(solution) == PDP_OK &&
        find_presets(&s, 0, problem->preset_count, solution->table, solution) == PDP_OK) {
        job.weights = s.weights;
        job.source = s.has_source || s.shifts ? find_source : NULL;
        job.context = &s;
        if (pdp_series_solve(&job, solution->table, &failed, progress, error) == PDP_OVERFLOW) {
            pdp_solution_fail_overflow(solution, 0, failed);
        }
        *error = s.bindings.error.status != PDP_OK ? s.bindings.error : *error;
    }
    sums_free(&s);
    return error->status == PDP_OK ? pdp_solution_close(solution) : error->status;
}

const pdp_shortcut pdp_method_series = {refuse_series, choose_type, series_bytes, run_series, series_operations, NULL};

/* ---- One far cell ---- */

/* Of the presets so many count: those that the next cell reads. The others only move the origin. */
static size_t near_presets(const pdp_problem *problem, size_t longest) {
    return longest < problem->preset_count ? longest : problem->preset_count;
}

/* Without its arrays. */
static pdp_bostan_mori_job far_job(const pdp_plan *plan, const pdp_problem *problem, const measure *found) {
    const bool has_source = problem->has_source || problem->recurrence->finish != PDP_NO_NODE;
    const size_t presets = near_presets(problem, found->longest), steady = pdp_linear_form_steady_from(problem);
    pdp_bostan_mori_job job = {.kind = ring_of(problem) == PDP_RING_MOD ? PDP_RING_MOD : PDP_RING_WRAP,
                               .modulus = problem->modulus,
                               .longest = found->longest,
                               .preset_count = presets,
                               .is_steady = steady < problem->n || steady == problem->preset_count,
                               .cell = problem->n - 1 - (problem->preset_count - presets),
                               .level = plan->level};
    if (!job.is_steady) {
        job.source_count = problem->n - problem->preset_count;
    } else {
        const size_t shifted = found->shifts > 0 && found->longest > steady ? found->longest : steady;
        job.source_count = has_source || found->shifts > 0 ? shifted - problem->preset_count + 1 : 0;
    }
    return job;
}

static const char *refuse_far(const pdp_plan *plan, const pdp_problem *problem) {
    const char *refusal = refuse_form(problem);
    if (refusal) {
        return refusal;
    }
    const measure found = measure_terms(problem);
    const pdp_bostan_mori_job job = far_job(plan, problem, &found);
    refusal = pdp_bostan_mori_refuse(&job);
    if (!refusal && ring_of(problem) == PDP_RING_EXACT) {
        const pdp_bounds bounds = pdp_bounds_find(problem);
        const bool all_fit = fits(problem, bounds.low) && fits(problem, bounds.high);
        refusal = all_fit ? NULL : "its cells are not proven to fit, and it sees but one of them";
    }
    return refusal;
}

/* There is nothing else to check the value by. */
static bool is_watched(const pdp_plan *plan, const pdp_problem *problem) {
    return plan->options.verify && problem->preset_count < problem->n && !pdp_witness_is_far(problem);
}

static uint64_t far_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    const measure found = measure_terms(problem);
    const pdp_bostan_mori_job job = far_job(plan, problem, &found);
    const uint64_t lists = pdp_bytes_multiply(job.preset_count + job.source_count + 1, sizeof(int64_t));
    const uint64_t bytes = pdp_bytes_add(pdp_bytes_add(lists, sums_bytes(&found)), pdp_bostan_mori_bytes(&job));
    return is_watched(plan, problem) ? pdp_bytes_add(bytes, pdp_witness_steps_bytes(problem)) : bytes;
}

static double far_operations(const pdp_plan *plan, const pdp_problem *problem) {
    const measure found = measure_terms(problem);
    const pdp_bostan_mori_job job = far_job(plan, problem, &found);
    return pdp_bostan_mori_operations(&job);
}

/* x(i) from the first cell that is not preset on; of a steady source, what each adds to the one before. */
static void find_sources(sums *s, const pdp_bostan_mori_job *job, int64_t *sources) {
    const size_t first = s->problem->preset_count;
    pdp_wide before = 0;
    for (size_t t = 0; t < job->source_count; t++) {
        const pdp_wide value = find_source(s, first + t), rise = value - before;
        sources[t] = (int64_t)(uint64_t)(rise < 0 && s->kind == PDP_RING_MOD ? rise + s->problem->modulus : rise);
        before = job->is_steady ? value : 0;
    }
}

pdp_status pdp_plan_solve_far(const pdp_plan *plan, pdp_solution *solution, pdp_bostan_mori_watch *watch, void *context,
                              pdp_progress progress) {
    const pdp_problem *problem = solution->problem;
    const measure found = measure_terms(problem);
    pdp_bostan_mori_job job = far_job(plan, problem, &found);
    pdp_error *error = &solution->error;
    const bool is_preset = problem->preset_count == problem->n;
    const size_t presets = is_preset ? 1 : job.preset_count;
    sums s;
    int64_t value = 0;
    int64_t *lists = pdp_array_allocate(presets + job.source_count, sizeof *lists, error);
    if (sums_create(&s, problem, &found, error) == PDP_OK && lists &&
        find_presets(&s, problem->preset_count - presets, presets, lists, solution) == PDP_OK) {
        value = lists[0];
        if (!is_preset) {
            find_sources(&s, &job, lists + presets);
            for (size_t d = 0; d <= s.longest && s.kind == PDP_RING_MOD; d++) {
                s.weights[d] += s.weights[d] < 0 ? problem->modulus : 0;
            }
            job.weights = s.weights;
            job.presets = lists;
            job.sources = lists + presets;
            job.watch = watch;
            job.context = context;
            pdp_bostan_mori_solve(&job, &value, progress, error);
            *error = s.bindings.error.status != PDP_OK ? s.bindings.error : *error;
        }
    }
    const bool is_bits = problem->element == PDP_ELEMENT_BITS;
    solution->value.whole = is_bits ? (pdp_wide)(uint64_t)value : (pdp_wide)value;
    sums_free(&s);
    free(lists);
    return error->status;
}

static pdp_status run_far(const pdp_plan *plan, pdp_solution *solution, pdp_progress progress) {
    pdp_error *error = &solution->error;
    pdp_witness_steps witness;
    if (!is_watched(plan, solution->problem)) {
        return pdp_plan_solve_far(plan, solution, NULL, NULL, progress);
    }
    if (pdp_witness_steps_create(&witness, solution->problem, error) == PDP_OK &&
        pdp_plan_solve_far(plan, solution, pdp_witness_steps_watch, &witness, progress) == PDP_OK) {
        pdp_witness_steps_close(&witness, solution->value.whole, error);
        solution->steps_checked = witness.count;
    }
    pdp_witness_steps_free(&witness);
    return error->status;
}

const pdp_shortcut pdp_method_bostan_mori = {refuse_far, choose_type, far_bytes, run_far, far_operations, NULL};
