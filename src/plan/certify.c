/* Checking what a plan has solved, or what others claim: see pdp_certificate. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/memory.h"
#include "plan/plan.h"
#include "reference/reference.h"
#include "solution/witness.h"

/* How many of the table's terms a check may look at, so that it takes no third of the solve: an engine does some 4e10
 * of them a second and thread, and a cell in 1 ns at best. A random sum over the table does some 1.5e8 cells a
 * second, one by one they take 8 ns a term, and the interpreter does 1.5e7 terms a second. */
enum { TERMS_PER_CELL = 40, TERMS_PER_SUMMED_CELL = 1000, TERMS_PER_ROW_TERM = 1600, TERMS_PER_INTERPRETED = 10000 };
enum { LEAST_ROW_TERMS = 64, TERMS_PER_SOURCE = 16 /* which are interpreted */ };
enum { TERMS_PER_OPERATION = 5 }; /* of a method that does without most terms */
enum { TERMS_PER_STEP_TERM = 500, LEAST_STEPS = 1 << 13, LEAST_AMONG_MANY = 1 << 9 }; /* on the way back along a line */

static void add_text(pdp_solution *solution, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_text(pdp_solution *solution, const char *format, ...) {
    const size_t room = sizeof solution->certificate_text - solution->certificate_length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(solution->certificate_text + solution->certificate_length, room, format, arguments);
    va_end(arguments);
    if (length > 0) { /* what there is no room for is left out */
        solution->certificate_length += (size_t)length < room ? (size_t)length : room - 1;
    }
}

/* As add_text, for what need not be looked at for a format: by printf a number takes as long as all the rest of a small
 * chain's check. */
static void append_text(pdp_solution *solution, const char *text) {
    const size_t room = sizeof solution->certificate_text - 1 - solution->certificate_length, length = strlen(text);
    const size_t added = length < room ? length : room;
    memcpy(solution->certificate_text + solution->certificate_length, text, added);
    solution->certificate_length += added;
    solution->certificate_text[solution->certificate_length] = '\0';
}

static void append_count(pdp_solution *solution, size_t count) {
    char digits[24] = "", *first = digits + sizeof digits - 1;
    do {
        *--first = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    append_text(solution, first);
}

/* ---- A chain's least cost by another way ---- */

static bool wants_optimum(const pdp_plan *plan, const pdp_problem *problem) {
    return plan->options.verify && problem->chain;
}

uint64_t pdp_certify_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    uint64_t bytes = pdp_witness_bytes(problem);
    if (problem->shape == PDP_LINEAR) {
        bytes = pdp_bytes_add(bytes, pdp_witness_sums_bytes(problem));
    }
    return wants_optimum(plan, problem) /* by arcs it takes less */
               ? pdp_bytes_add(bytes, pdp_reference_cost_bytes(problem->n))
               : bytes;
}

/* Of one that Hu and Shing's method has solved, by its arcs, which takes less than to solve it once more. */
static pdp_status find_optimum(pdp_solution *solution, pdp_wide *value) {
    const pdp_problem *problem = solution->problem;
    uint64_t least = 0;
    if (!solution->arcs.all) {
        return pdp_reference_cost_mcm(problem->chain, problem->n, value, &solution->error);
    }
    pdp_arcs_prove(&solution->arcs, problem->dims, problem->n, &least, &solution->error);
    *value = (pdp_wide)least;
    return solution->error.status;
}

static pdp_status compare_optimum(pdp_solution *solution) {
    const char *how = solution->arcs.all ? "the least cost, which the arcs of the polygon prove"
                                         : "the least cost by Hu and Shing's method";
    pdp_wide value = 0;
    if (find_optimum(solution, &value) != PDP_OK) {
        return solution->error.status;
    }
    if (solution->value.whole != value) {
        return pdp_error_set(&solution->error, PDP_WRONG,
                             "the answer is wrong: it is %" PRId64 ", and should be %s%" PRId64 ", %s",
                             pdp_solution_value(solution), pdp_wide_fits(value) ? "" : "more than ",
                             pdp_wide_fits(value) ? (int64_t)value : INT64_MAX, how);
    }
    solution->certificate = PDP_CERTIFIED;
    append_text(solution, "; so is ");
    append_text(solution, how);
    return PDP_OK;
}

/* ---- By the solution itself ---- */

/* Engines, and what is done by their kernels, compute with the float they were asked for, others with the
 * recurrence's. */
static pdp_element find_element(const pdp_plan *plan, const pdp_problem *problem) {
    const bool by_engine = plan->method->kind == PDP_ENGINE || plan->kernel.kernel;
    return !pdp_element_is_real(problem->element) || !by_engine ? problem->element
           : plan->stamp.type == PDP_TYPE_F32                   ? PDP_ELEMENT_F32
                                                                : PDP_ELEMENT_F64;
}

/* The terms that a thread of the engine does in the time that the solve takes, about. */
static double find_terms(const pdp_plan *plan, const pdp_problem *problem) {
    const pdp_shortcut *shortcut = plan->method->shortcut;
    const double given =
        problem->shape == PDP_LINEAR && problem->n > 0 ? (double)problem->preset_count / (double)problem->n : 0;
    const double terms = (1 - given) * pdp_problem_terms(problem) / (plan->threads > 0 ? plan->threads : 1);
    return shortcut && shortcut->operations ? fmin(terms, TERMS_PER_OPERATION * shortcut->operations(plan, problem))
                                            : terms;
}

double pdp_certify_patience(const pdp_plan *plan, const pdp_problem *problem) {
    return plan->options.decisions == PDP_DECISIONS_TO_CHECK ? fmax(find_terms(plan, problem) / TERMS_PER_STEP_TERM,
                                                                    plan->count == 1 ? LEAST_STEPS : LEAST_AMONG_MANY)
                                                             : (double)INFINITY;
}

/* Cells in a row of a table of sums: all in one pass, or one by one where that takes in more of them. */
static pdp_status check_sums(const pdp_plan *plan, const pdp_witness *witness, pdp_solution *solution,
                             size_t *checked) {
    const pdp_problem *problem = solution->problem;
    const double cells = (double)problem->n, source = problem->has_source ? TERMS_PER_SOURCE : 1;
    const double terms =
        fmax(find_terms(plan, problem), TERMS_PER_CELL * cells / (plan->threads > 0 ? plan->threads : 1));
    const double row = 1 + fmax(terms / TERMS_PER_ROW_TERM, LEAST_ROW_TERMS) / ((double)problem->offset_count + source);
    double summed = terms / TERMS_PER_SUMMED_CELL / source / (problem->combine == PDP_OP_XOR ? 2 : 1);
    summed = summed < cells ? summed - (double)pdp_problem_reach(problem) : cells;
    if (summed > row) {
        pdp_witness_sums(witness, (size_t)summed, checked, &solution->error);
    } else {
        pdp_witness_row(witness, (size_t)row, checked, &solution->error);
    }
    if (*checked > 0 && solution->error.status == PDP_OK) {
        add_text(solution, "%zu cell%s in a row%s and ", *checked, *checked == 1 ? "" : "s",
                 summed > row ? ", added up with random weights," : "");
    }
    return solution->error.status;
}

static pdp_status check_table(const pdp_plan *plan, const pdp_witness *witness, pdp_solution *solution) {
    const pdp_problem *problem = solution->problem;
    size_t in_a_row = 0, checked = 0;
    if (problem->shape == PDP_LINEAR && check_sums(plan, witness, solution, &in_a_row) != PDP_OK) {
        return solution->error.status;
    }
    const bool are_all = in_a_row > 0 && in_a_row + problem->preset_count >= problem->n;
    const double terms = find_terms(plan, problem) / (are_all ? 4 * TERMS_PER_INTERPRETED : TERMS_PER_INTERPRETED);
    if (pdp_witness_cells(witness, terms, &checked, &solution->error) != PDP_OK) {
        return solution->error.status;
    }
    solution->certificate = PDP_WITNESS;
    const double all =
        problem->shape == PDP_LINEAR ? (double)problem->n : (double)problem->n * ((double)problem->n + 1) / 2;
    const bool is_alone = solution->certificate_length == 0 && checked == 1;
    append_text(solution, "the last cell");
    if (checked > 1) {
        add_text(solution, " and %zu draw%s at random", checked - 1, checked == 2 ? "" : "s");
    }
    add_text(solution, " of %s%.0f %s", solution->first > 0 ? "the last " : "",
             solution->first > 0 ? (double)(problem->n - pdp_witness_first(solution)) : all,
             is_alone ? "is what its terms come to" : "are what their terms come to");
    return PDP_OK;
}

/* There is nothing but the value. */
static pdp_status check_alone(const pdp_witness *witness, pdp_solution *solution) {
    bool is_checked = false;
    if (pdp_witness_far(witness, &is_checked, &solution->error) == PDP_OK && is_checked) {
        solution->certificate = PDP_CERTIFIED;
        add_text(solution, "the value is what powers of x modulo the recurrence's polynomial come to");
    } else if (!is_checked && solution->steps_checked > 0) {
        solution->certificate = PDP_WITNESS;
        const pdp_problem *problem = solution->problem;
        const bool is_short = problem->element == PDP_ELEMENT_MOD && problem->modulus < 1 << 20;
        add_text(solution, "the %zu fractions on the way to the value, at a random point", solution->steps_checked);
        if (is_short) { /* so that a wrong one may well be right there */
            add_text(solution, " of the %" PRId64 " that there are", problem->modulus);
        }
        append_text(solution, ", are those of the recurrence");
    } else if (!is_checked) {
        add_text(solution, "there is neither a decision nor a table to look at");
    }
    return solution->error.status;
}

static pdp_status check_solution(const pdp_plan *plan, pdp_solution *solution) {
    const pdp_witness witness = {solution, find_element(plan, solution->problem)};
    if (solution->decisions && pdp_solution_has_decisions(solution)) {
        if (pdp_witness_decisions(&witness, &solution->error) == PDP_OK) {
            solution->certificate = PDP_WITNESS;
            append_text(solution, "the value is what the ");
            append_count(solution, solution->decision_count);
            append_text(solution, solution->decision_count == 1 ? " decision comes to" : " decisions come to");
        }
        return solution->error.status;
    }
    if (pdp_witness_first(solution) == SIZE_MAX) {
        return check_alone(&witness, solution);
    }
    return check_table(plan, &witness, solution);
}

/* ---- By a second method ---- */

/* The caller's progress is over: it is only asked whether to go on. */
static int ask_to_go_on(void *context, double share) {
    const pdp_options *options = context;
    (void)share;
    return options->on_progress(options->context, 1);
}

/* Whether a method computes by what the plan's own does. A window is filled by the kernel of the blocks. */
static bool is_same(const pdp_plan *plan, const char *name) {
    const bool by_blocks = plan->method->shortcut == &pdp_method_window && plan->kernel.kernel;
    return !plan->device && (strcmp(name, plan->method->name) == 0 || (by_blocks && strcmp(name, "blocks") == 0));
}

/* The first of the methods that is not the plan's own, or at least not on its device, and can solve the problem. */
static pdp_status plan_second(const pdp_plan *plan, pdp_problem *problem, pdp_plan **out, pdp_error *error) {
    static const char *const interval[] = {"hu-shing", "knuth", "tiles", "sequential", NULL};
    static const char *const linear[] = {"blocks", "settle", "runs", "series", "sequential", NULL};
    pdp_options options = plan->options;
    if (problem->is_extended) {
        return pdp_error_set(error, PDP_BAD_INPUT, "no other goes beyond the last cell, %zu", problem->whole->n - 1);
    }
    options.backend = "cpu";
    options.device = NULL;
    options.table = options.splits = options.decisions = options.record = options.verify = 0;
    options.on_step = NULL;
    options.at = -1; /* the problem ends there */
    options.on_progress = plan->options.on_progress ? ask_to_go_on : NULL;
    options.context = (void *)&plan->options;
    if (options.memory_limit > plan->bytes) {
        options.memory_limit -= plan->bytes;
    }
    pdp_status status = PDP_BAD_INPUT;
    for (const char *const *name = problem->shape == PDP_INTERVAL ? interval : linear; *name && status == PDP_BAD_INPUT;
         name++) {
        if (is_same(plan, *name)) {
            continue;
        }
        options.algorithm = *name;
        options.type = strcmp(*name, "tiles") == 0 || strcmp(*name, "blocks") == 0 ? plan->options.type : NULL;
        pdp_plan_free(*out);
        status = pdp_plan_create(out, problem, &options);
    }
    return status == PDP_OK ? PDP_OK : pdp_error_set(error, status, "%.280s", pdp_plan_error(*out));
}

/* Floats by two methods agree to some digits. */
static bool values_agree(const pdp_solution *one, const pdp_solution *other, bool is_short) {
    if (!pdp_solution_feasible(one) || !pdp_solution_feasible(other)) {
        return pdp_solution_feasible(one) == pdp_solution_feasible(other);
    }
    if (!pdp_solution_is_real(one)) {
        return pdp_solution_value(one) == pdp_solution_value(other);
    }
    const double a = pdp_solution_real_value(one), b = pdp_solution_real_value(other);
    return (a <= b && a >= b) ||
           (isfinite(a) && isfinite(b) && fabs(a - b) <= (is_short ? 1e-4 : 1e-9) * fmax(fabs(a), fabs(b)));
}

static bool is_short(const pdp_plan *plan, const pdp_problem *problem) {
    return find_element(plan, problem) == PDP_ELEMENT_F32;
}

static void print_value(const pdp_solution *solution, char text[40]) {
    if (!pdp_solution_feasible(solution)) {
        snprintf(text, 40, "none");
    } else if (pdp_solution_is_real(solution)) {
        snprintf(text, 40, "%.17g", pdp_solution_real_value(solution));
    } else {
        snprintf(text, 40, "%" PRId64, pdp_solution_value(solution));
    }
}

static pdp_status compare_second(const pdp_plan *plan, pdp_solution *solution) {
    pdp_plan *second = NULL;
    pdp_solution *other = NULL;
    pdp_error error = {0};
    const bool is_sum = pdp_solution_is_real(solution) && solution->problem->combine != PDP_OP_MIN &&
                        solution->problem->combine != PDP_OP_MAX;
    pdp_status status = plan_second(plan, solution->problem, &second, &error);
    if (status == PDP_OK && (status = pdp_plan_run(second, &other)) != PDP_OK) {
        pdp_error_set(&error, status, "%.280s", pdp_solution_error(other));
    }
    if (status == PDP_CANCELLED) {
        solution->error = error;
    } else if (status == PDP_OVERFLOW) { /* of floats: in another order */
        add_text(solution, "; by method '%s' %.120s", pdp_plan_algorithm(second), error.text);
    } else if (status != PDP_OK) {
        add_text(solution, "; there is no second method: %.120s", error.text);
    } else if (values_agree(solution, other, is_short(plan, solution->problem))) {
        solution->certificate = PDP_CERTIFIED;
        add_text(solution, "; method '%s' comes to the same", pdp_plan_algorithm(second));
    } else {
        char texts[2][40];
        print_value(solution, texts[0]);
        print_value(other, texts[1]);
        if (is_sum) { /* of floats, whose rounding may grow to any size */
            add_text(solution, "; method '%s' comes to %s", pdp_plan_algorithm(second), texts[1]);
        } else {
            pdp_error_set(&solution->error, PDP_WRONG, "the answer is wrong: it is %s, and by method '%s' %s", texts[0],
                          pdp_plan_algorithm(second), texts[1]);
        }
    }
    pdp_solution_free(other);
    pdp_plan_free(second);
    return solution->error.status;
}

/* ---- All of it ---- */

pdp_status pdp_plan_certify(const pdp_plan *plan, pdp_solution *solution) {
    const double start = pdp_clock_seconds();
    solution->certificate = PDP_UNCHECKED;
    solution->certificate_text[0] = '\0';
    solution->certificate_length = 0;
    if (check_solution(plan, solution) == PDP_OK && wants_optimum(plan, solution->problem)) {
        compare_optimum(solution);
    }
    if (solution->error.status == PDP_OK && plan->options.verify > 1) {
        compare_second(plan, solution);
    }
    solution->verify_seconds = pdp_clock_seconds() - start;
    if (solution->error.status != PDP_OK) {
        solution->certificate = PDP_UNCHECKED;
    }
    return solution->error.status;
}

/* ---- Claims ---- */

/* Without decisions the problem has to be solved. */
static pdp_status compare_claim(const pdp_plan *plan, const pdp_solution *claimed, pdp_solution **out) {
    pdp_status status = pdp_plan_run_batch(plan, out);
    if (status == PDP_OK && !values_agree(claimed, *out, is_short(plan, plan->problem))) {
        char texts[2][40];
        print_value(claimed, texts[0]);
        print_value(*out, texts[1]);
        status = pdp_error_set(&(*out)->error, PDP_WRONG, "the answer is wrong: it is claimed to be %s, and is %s",
                               texts[0], texts[1]);
        pdp_solution_discard(*out);
    }
    return status;
}

/* The claim as a solution without a table. */
static pdp_status make_claimed(const pdp_plan *plan, const pdp_claim *claim, pdp_solution **out) {
    const pdp_problem *problem = plan->problem;
    if (pdp_solution_create(out, problem) != PDP_OK) {
        return PDP_NO_MEMORY;
    }
    pdp_solution *solution = *out;
    const bool is_bits = problem->element == PDP_ELEMENT_BITS;
    const bool is_max = problem->combine == PDP_OP_MAX;
    solution->backend = "";
    if (claim->struct_size != sizeof *claim) {
        return pdp_error_set(&solution->error, PDP_BAD_INPUT, "claim.struct_size is %zu, and must be %zu",
                             claim->struct_size, sizeof *claim);
    }
    solution->value.whole = is_bits ? (pdp_wide)(uint64_t)claim->value : (pdp_wide)claim->value;
    if (pdp_element_is_real(problem->element)) {
        solution->value.real = claim->feasible ? claim->real_value : is_max ? -(double)INFINITY : (double)INFINITY;
    } else if (!claim->feasible) {
        solution->value.whole = is_bits ? 0 : is_max ? -PDP_WHOLE_INFINITY : PDP_WHOLE_INFINITY;
    }
    if (pdp_element_is_real(problem->element) && isnan(claim->real_value)) {
        return pdp_error_set(&solution->error, PDP_BAD_INPUT, "claim.real_value is not a number");
    }
    if (!claim->feasible && !pdp_solution_is_infeasible(solution, solution->value)) {
        return pdp_error_set(&solution->error, PDP_WRONG,
                             "the answer is wrong: it is claimed to be none, and under this operator there is one");
    }
    if (claim->decisions) {
        solution->decisions = pdp_array_allocate(claim->decision_count, sizeof *solution->decisions, &solution->error);
        if (solution->decisions && claim->decision_count > 0) {
            memcpy(solution->decisions, claim->decisions, claim->decision_count * sizeof *claim->decisions);
            solution->decision_count = claim->decision_count;
        }
    }
    return solution->error.status;
}

pdp_status pdp_plan_verify(const pdp_plan *plan, const pdp_claim *claim, pdp_solution **out) {
    if (!plan || plan->error.status != PDP_OK || plan->count != 1) {
        return pdp_plan_run(plan, out); /* which says what is wrong */
    }
    pdp_plan own = *plan;
    own.options.verify = plan->options.verify > 1 ? plan->options.verify : 1;
    pdp_solution *claimed = NULL;
    pdp_status status = make_claimed(plan, claim, &claimed);
    if (status == PDP_OK && (!claimed->decisions || !pdp_solution_has_decisions(claimed))) {
        status = compare_claim(&own, claimed, out);
        pdp_solution_free(claimed);
        return status;
    }
    *out = claimed;
    if (status == PDP_OK && (status = pdp_plan_certify(&own, claimed)) != PDP_OK) {
        pdp_solution_discard(claimed);
    }
    return status;
}
