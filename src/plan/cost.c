#include "plan/cost.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/threads.h"
#include "cpu/offset_set.h"
#include "cpu/window.h"
#include "gpu/cuda_api.h"
#include "plan/plan.h"
#include "plan/type.h"
#include "problem/bound.h"
#include "problem/linear_form.h"
#include "reference/reference.h"

/* What a method takes for one problem. */
typedef struct work {
    double operations;
    double near; /* others, which do not grow with vectors and have a rate of their own */
    uint64_t bytes;
    double speedup; /* by its threads, of this problem alone */
} work;

/* ---- The engines ---- */

/* Weights are fitted to measurements on an EPYC and a Xeon of x86-64-v4: what a step takes beside the one that the rate
 * is of. Whoever changes one changes the unit of its rate: see WEIGHTS in plan/rates.c. */

/* An interval: a cell that is finished after its tile's products, in terms of a matrix chain. */
static const double tile_cell_work = 70;

/* A line, at the rate of what is near by, which does not grow with vectors, in far terms of i32: a cell that is
 * written; a term whose offset is shorter than a vector, which is added lane by lane; a cell that waits for the one
 * before it, one whose terms compute something, and one that is computed with once more, lane by lane, or that may be
 * infeasible. With few near terms (NEAR_FEW of cpu/linear.c) cells are finished one by one, and wait for the one that
 * they read. Loads of what is in the middle, and far, and those of 8 bytes in times of 4. */
static const double cell_work = 100, near_work = 10;
static const double chain_work = 220, term_chain_work = 290, long_chain_work = 620, few_chain_work = 150;
static const double middle_load_work = 2, far_load_work = 1.7, long_load_work = 1.5;
enum { NEAR = 16, MIDDLE = 256, NEAR_FEW = 4 };

/* An operator without vectors, at that rate too: a term, and a cell, by how near the nearest offset is: below WAITS it
 * waits for what it reads, below MIDDLE it has small blocks. 128 bits: a cell, in terms of its own. */
enum { GCD_WORK = 60, MUL_WORK = 150, WAITS = 4 };
static const double slow_cell_work = 1500, middle_slow_cell_work = 600, far_slow_cell_work = 250, wide_cell_work = 8;

static double scalar_work(const pdp_problem *problem) {
    return problem->combine == PDP_OP_GCD                                          ? GCD_WORK
           : problem->combine == PDP_OP_MUL && problem->element == PDP_ELEMENT_MOD ? MUL_WORK
                                                                                   : 0;
}

/* All terms have the same shift, which is added to what they come to. */
static bool is_even(const pdp_recurrence *recurrence) {
    return pdp_linear_form_of_term(recurrence) == PDP_TERM_SHIFTED && pdp_linear_form_is_uniform(recurrence);
}

/* Of a vector's term: what it does besides combining. */
static double term_work(const pdp_problem *problem) {
    const pdp_term_form form = pdp_linear_form_of_term(problem->recurrence);
    return problem->combine == PDP_OP_MUL ? 2 : form == PDP_TERM_CELL || is_even(problem->recurrence) ? 1 : 1.1;
}

static bool is_of_bits(const pdp_problem *problem) {
    return problem->combine == PDP_OP_AND || problem->combine == PDP_OP_OR || problem->combine == PDP_OP_XOR;
}

/* Of a cell with so many near terms, the nearest of which is so far away. */
static double find_chain(const pdp_problem *problem, double near, size_t least) {
    const pdp_recurrence *r = problem->recurrence;
    const bool is_plain = pdp_linear_form_of_term(r) == PDP_TERM_CELL;
    const bool is_finished = r->finish != PDP_NO_NODE || is_even(r) || (!is_plain && pdp_problem_can_miss(problem));
    return near == 0          ? cell_work
           : near <= NEAR_FEW ? cell_work + few_chain_work / (double)least
           : is_finished      ? long_chain_work
           : is_plain         ? chain_work
                              : term_chain_work;
}

/* Nodes that the interpreter visits for a term. The parser caps the depth. */
static double count_nodes(pdp_bindings *bindings, uint32_t index) {
    const pdp_node *n = &bindings->recurrence->nodes[index];
    if (n->kind == PDP_NODE_FOLD) {
        return 1 + fmax(1, (double)pdp_interpret(bindings, n->child[0]).whole) * count_nodes(bindings, n->child[1]);
    }
    double count = 1;
    for (uint32_t c = 0; c < n->child_count; c++) {
        count += count_nodes(bindings, n->child[c]);
    }
    return count;
}

/* Of a term, where it is interpreted: beside that of `merge`, which has three. */
static double interpreter_work(const pdp_problem *problem) {
    pdp_bindings bindings = pdp_problem_bindings(problem);
    return pdp_problem_is_paper(problem) ? 1 : fmax(1, count_nodes(&bindings, problem->recurrence->term) / 3);
}

/* Of the plain loops: terms, and what they take beside a plain min. */
static double loops_work(const pdp_problem *problem) {
    const double n = (double)problem->n;
    const double cells = problem->shape == PDP_LINEAR ? (double)(problem->n - problem->preset_count) : n * n / 2;
    const double of_cell = problem->shape == PDP_LINEAR ? (double)problem->offset_count : n / 3;
    return cells * of_cell * interpreter_work(problem) *
           (problem->combine == PDP_OP_GCD        ? 4
            : problem->element != PDP_ELEMENT_MOD ? 1
            : problem->combine == PDP_OP_MUL      ? 2.7 + 1.8 * fmin(1, of_cell / 40)
                                                  : 7);
}

/* Operations of the innermost loop for a term, and a fifth of those that are done before it for a row or a column. The
 * parser caps the depth. */
static double count_operations(const pdp_recurrence *r, uint32_t index) {
    const pdp_node *n = &r->nodes[index];
    const uint8_t all = PDP_USES_I | PDP_USES_K | PDP_USES_J;
    double count = n->child_count == 0 || (n->uses & PDP_USES_K) == 0 ? 0 : (n->uses & all) == all ? 1 : 0.2;
    for (uint32_t c = 0; c < n->child_count; c++) {
        count += count_operations(r, n->child[c]);
    }
    return count;
}

static double tiles_work(const pdp_problem *problem) {
    const double n = (double)problem->n;
    const double of_chain = 5.4; /* loads, two sums, a product, the minimum; a factor and a product from before */
    const double each = 2 + count_operations(problem->recurrence, problem->recurrence->term);
    return n * n * n / 6 * each / of_chain + tile_cell_work * n * n / 2;
}

/* Of loads for a far term: runs of offsets share them, and those that are near each other. */
static double find_far_load(const pdp_problem *problem) {
    const double count = fmax(1, (double)problem->offset_count);
    const double runs = (double)pdp_offset_runs(problem->offsets, problem->offset_count);
    return far_load_work * cbrt(runs / count) / (1 + 30 * count / ((double)pdp_problem_reach(problem) + 1));
}

/* What is not arithmetic takes all types about as long, but for loads of vectors, of which elements of 8 bytes need
 * more. */
static work blocks_work(const pdp_problem *problem, pdp_machine_type type, const double *rates) {
    double terms[3] = {0}; /* near, in the middle, far */
    size_t least = SIZE_MAX;
    for (size_t j = 0; j < problem->offset_count; j++) {
        const size_t offset = problem->offsets[j];
        const size_t first = offset > problem->preset_count ? offset : problem->preset_count;
        least = offset < least ? offset : least;
        if (first < problem->n) {
            terms[(offset >= NEAR) + (offset >= MIDDLE)] += (double)(problem->n - first);
        }
    }
    const double cells = (double)(problem->n - problem->preset_count), all = terms[0] + terms[1] + terms[2];
    const double speed = rates[type] / rates[PDP_TYPE_I32], scalar = scalar_work(problem);
    if (type == PDP_TYPE_WIDE) {
        return (work){.operations = wide_cell_work * cells + all};
    }
    if (scalar > 0) {
        const double cell = least < WAITS    ? slow_cell_work
                            : least < MIDDLE ? middle_slow_cell_work
                                             : far_slow_cell_work;
        return (work){.near = cell * cells + scalar * all};
    }
    /* In the middle a few vectors at a time. */
    const double long_loads = pdp_machine_type_bytes(type) > 4 ? long_load_work : 1;
    const double loads = middle_load_work * terms[1] + long_loads * find_far_load(problem) * terms[2];
    const double chain = find_chain(problem, cells > 0 ? terms[0] / cells : 0, least), each = term_work(problem);
    const double words = is_of_bits(problem) ? (double)pdp_machine_type_bytes(type) / 4 : 1;
    return (work){.operations = words * each * (terms[1] + terms[2]),
                  .near = chain * cells + each * (near_work * terms[0] / speed + loads)};
}

static double find_threads(const pdp_plan *plan) {
    const int wished = plan->options.threads;
    return wished > 0 ? wished : pdp_threads_available();
}

/* By the threads that blocks and tiles find work for. A line is about as count_threads of cpu/linear.c has it: 2^23
 * terms for each, and four blocks that the greatest offset reaches over, which has at least sixteen of them. */
static double engine_speedup(const pdp_plan *plan, const pdp_problem *problem) {
    const double terms = pdp_problem_terms(problem);
    double threads = plan->options.threads <= 0 && terms < 4e6 ? 1 : find_threads(plan);
    if (problem->shape == PDP_LINEAR) {
        threads = fmin(fmin(threads, 4), fmin(terms / (1 << 23), (double)pdp_problem_reach(problem) / (4 * MIDDLE)));
    }
    return threads > 1 ? 1 + 0.85 * (threads - 1) : 1;
}

static work engine_work(const pdp_plan *plan, const pdp_problem *problem, pdp_machine_type type) {
    const double *rates = plan->rates.values + PDP_RATE_BLOCKS;
    work w =
        problem->shape == PDP_LINEAR ? blocks_work(problem, type, rates) : (work){.operations = tiles_work(problem)};
    w.bytes = pdp_plan_least_table(problem, type);
    w.speedup = engine_speedup(plan, problem);
    return w;
}

/* ---- All methods ---- */

/* Whether what a method leaves is all that is asked for: NULL, or what it lacks. */
static const char *find_lack(const pdp_plan *plan, const pdp_problem *problem, const pdp_method *m) {
    const pdp_options *o = &plan->options;
    const bool chooses = problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX;
    const bool has_table =
        strcmp(m->name, "hu-shing") != 0 && m->shortcut != &pdp_method_bostan_mori && m->shortcut != &pdp_method_window;
    if (o->table && !has_table) {
        return "it keeps no table, and that is wanted";
    }
    if (o->last_cells > 0 && m->shortcut == &pdp_method_bostan_mori) {
        return "it computes one cell, and the last ones are wanted";
    }
    if (o->decisions == 1 && chooses && m->shortcut == &pdp_method_window) {
        return "it keeps no decisions, and these are wanted";
    }
    return problem->is_extended && m->shortcut != &pdp_method_bostan_mori
               ? "the cell that is wanted is beyond the last one"
               : NULL;
}

const char *pdp_plan_refusal(const pdp_plan *plan, const pdp_method *m) {
    const char *backend = plan->options.backend;
    if (!pdp_wish_is_auto(backend) && strcmp(backend, "cpu") != 0 && m->kind != PDP_ENGINE) {
        return "it does not run on the backend that is asked for";
    }
    for (size_t x = 0; x < plan->count; x++) {
        const char *lack = find_lack(plan, plan->problems[x], m);
        /* Which may take its time. Who wants to know is told first that it could not solve the problem anyway. */
        const char *why = !lack || plan->options.explain ? pdp_method_refuse(plan, plan->problems[x], m) : NULL;
        if (why || lack) {
            return why ? why : lack;
        }
    }
    return NULL;
}

static bool is_knuth(const pdp_method *m) {
    return m->shortcut && m->shortcut->prepare;
}

/* The window keeps cells for the engine, or, of what the engine refuses, for the interpreter. */
static bool is_window(const pdp_plan *trial, bool by_engine) {
    return trial->method->shortcut == &pdp_method_window &&
           by_engine == !pdp_method_refuse(trial, trial->problem, pdp_method_find(PDP_LINEAR, "blocks"));
}

/* Computes by a kernel that may have to be compiled. */
static bool has_kernel(const pdp_plan *trial) {
    return trial->method->kind == PDP_ENGINE || is_window(trial, true) || is_knuth(trial->method);
}

static bool can_compile(const pdp_plan *plan) {
    return plan->options.compile && !pdp_module_is_off();
}

static pdp_status check_wish(pdp_plan *trial) {
    const char *name = pdp_type_name(&trial->stamp, trial->problem), *wish = trial->options.type;
    return pdp_wish_is_auto(wish) || strcmp(wish, name) == 0
               ? PDP_OK
               : pdp_error_set(&trial->error, PDP_BAD_INPUT, "it computes with %s, not with %.40s", name, wish);
}

/* Sets the type that a method computes with. The window's, and the engines', is that of a kernel. */
static pdp_status choose_type(pdp_plan *trial) {
    const pdp_method *m = trial->method;
    size_t widest = 0;
    if (has_kernel(trial) && !is_knuth(m)) {
        return pdp_plan_choose_type(trial);
    }
    if (is_knuth(m) && pdp_type_choose(&trial->stamp, trial->problems, trial->count, "i64", trial->level, false,
                                       &widest, &trial->error) != PDP_OK) {
        return trial->error.status;
    }
    if (m->shortcut && m->shortcut->choose_type) {
        return m->shortcut->choose_type(trial);
    }
    if (!is_knuth(m)) {
        trial->stamp.type = pdp_plan_plain_type(trial->problem);
    }
    return check_wish(trial);
}

static int find_rate(const pdp_plan *trial) {
    const pdp_method *m = trial->method;
    const int type = (int)trial->stamp.type;
    if (m->kind == PDP_ENGINE || m->shortcut == &pdp_method_window) {
        return trial->problem->shape == PDP_INTERVAL ? PDP_RATE_TILES + type
               : is_of_bits(trial->problem)          ? PDP_RATE_BITS
                                                     : PDP_RATE_BLOCKS + type;
    }
    return m->shortcut == &pdp_method_settle        ? PDP_RATE_SETTLE
           : m->shortcut == &pdp_method_runs        ? PDP_RATE_RUNS
           : m->shortcut == &pdp_method_series      ? PDP_RATE_SERIES
           : m->shortcut == &pdp_method_bostan_mori ? PDP_RATE_BOSTAN_MORI
           : is_knuth(m)                            ? PDP_RATE_KNUTH
           : m->shortcut                            ? PDP_RATE_HU_SHING
           : pdp_problem_is_paper(trial->problem)   ? PDP_RATE_LOOPS
                                                    : PDP_RATE_INTERPRETER;
}

static work find_work(const pdp_plan *trial, const pdp_problem *problem) {
    const pdp_method *m = trial->method;
    work w = {.speedup = 1};
    if (m->kind == PDP_ENGINE || m->shortcut == &pdp_method_window) {
        w = engine_work(trial, problem, trial->stamp.type);
    } else if (m->shortcut) {
        w.near = m->shortcut == &pdp_method_runs ? pdp_method_runs_near(trial, problem) : 0;
        w.operations = m->shortcut->operations(trial, problem) - w.near;
    } else {
        w.operations = loops_work(problem);
        w.bytes = pdp_problem_is_paper(problem) ? pdp_solution_table_bytes(problem) : pdp_reference_bytes(problem);
    }
    if (m->shortcut) {
        w.bytes = m->shortcut->bytes(trial, problem);
    }
    return w;
}

/* Seconds until a kernel is there: none if it is built in or in the cache. */
static double find_compile_seconds(const pdp_plan *trial) {
    return !has_kernel(trial) ||
                   pdp_kernel_is_ready(trial->problem->recurrence, &trial->stamp, trial->level, can_compile(trial))
               ? 0
               : 1 / trial->rates.values[PDP_RATE_COMPILER];
}

void pdp_cost_refuse(pdp_cost *cost, const char *why) {
    cost->is_refused = true;
    cost->seconds = (double)INFINITY;
    snprintf(cost->reason, sizeof cost->reason, "%.190s", why);
}

bool pdp_cost_fits(pdp_cost *cost, const pdp_plan *plan) {
    const bool fits = pdp_plan_fits(plan);
    cost->bytes = plan->bytes;
    if (!fits) {
        char why[128];
        snprintf(why, sizeof why, "it needs %" PRIu64 " bytes, and %" PRIu64 " are %s", plan->bytes, plan->allowed,
                 plan->options.memory_limit > 0 ? "allowed" : "free");
        pdp_cost_refuse(cost, why);
    }
    return fits;
}

/* All the work, and what takes most of the time. */
static void add_up(const pdp_plan *trial, bool is_interpreted, pdp_cost *cost) {
    const double *rates = trial->rates.values;
    const int near_rate = cost->rate == PDP_RATE_RUNS ? PDP_RATE_NEAR_RUNS : PDP_RATE_NEAR_BLOCKS;
    const double together = fmin(find_threads(trial), (double)trial->count);
    double near = 0;
    for (size_t x = 0; x < trial->count; x++) {
        work w = find_work(trial, trial->problems[x]);
        if (is_interpreted && !is_knuth(trial->method)) { /* as by the plain loops */
            w = (work){.operations = loops_work(trial->problems[x]), .bytes = w.bytes, .speedup = 1};
        }
        cost->operations += w.operations;
        near += w.near;
        const double speedup = trial->count > 1 ? together : w.speedup; /* of many, each thread solves one */
        cost->seconds += (w.operations / rates[cost->rate] + w.near / rates[near_rate]) / speedup;
        cost->seconds += (double)w.bytes / rates[PDP_RATE_PAGES];
    }
    if (near / rates[near_rate] > cost->operations / rates[cost->rate]) {
        cost->operations = near;
        cost->rate = near_rate;
    }
}

/* Sets the type that a method computes with where it has no kernel, and says so. */
static pdp_status interpret(pdp_plan *trial, pdp_cost *cost) {
    cost->rate = PDP_RATE_INTERPRETER;
    snprintf(cost->reason, sizeof cost->reason,
             is_window(trial, false) ? "interpreted, which is all that its operator allows"
             : can_compile(trial)    ? "interpreted, which is done before a kernel is compiled"
                                     : "interpreted, for want of a kernel");
    if (is_knuth(trial->method)) {
        return PDP_OK;
    }
    trial->stamp.type = pdp_reference_type(trial->problem);
    return check_wish(trial);
}

/* The cost of a method that refuses none of the problems. */
static void reckon(pdp_plan *trial, pdp_cost *cost) {
    const pdp_method *m = trial->method;
    if (choose_type(trial) != PDP_OK) {
        pdp_cost_refuse(cost, trial->error.text);
        return;
    }
    const double kernel = find_compile_seconds(trial);
    const bool compiles = kernel > 0 && can_compile(trial) && !(is_knuth(m) && pdp_knuth_has_few(trial));
    const bool is_missing = kernel > 0 && !compiles;
    const bool is_interpreted = (is_missing && m->kind != PDP_ENGINE) || is_window(trial, false);
    cost->lacks_kernel = is_missing && m->kind == PDP_ENGINE;
    cost->is_unsure = is_knuth(m);
    cost->rate = find_rate(trial);
    if (is_interpreted && interpret(trial, cost) != PDP_OK) {
        pdp_cost_refuse(cost, trial->error.text);
        return;
    }
    add_up(trial, is_interpreted, cost);
    if (trial->options.verify && m->shortcut == &pdp_method_window) {
        cost->is_weak = true;
        snprintf(cost->reason, sizeof cost->reason, "it leaves little to check the value by");
    }
    if (compiles) {
        cost->seconds += kernel;
        snprintf(cost->reason, sizeof cost->reason, "%.2f s of it to compile its kernel", kernel);
    }
    if (m->shortcut == &pdp_method_window) {
        trial->options.decisions = 0; /* it keeps none */
    }
    pdp_plan_measure(trial);
    pdp_cost_fits(cost, trial);
}

/* ---- Devices ---- */

/* Terms from which on a GPU is taken for granted, if the environment says so in PIPEDP_GPU_TERMS; -1 otherwise. */
static double find_gpu_terms(void) {
    const char *text = getenv("PIPEDP_GPU_TERMS");
    char *end = NULL;
    const double terms = text ? strtod(text, &end) : -1;
    return end && end != text && *end == '\0' && terms >= 0 ? terms : -1;
}

/* Without a driver no GPU can be used. To look for it takes time where it is, so that is done only for who asks. */
static bool has_driver(void) {
    pdp_cuda_driver driver;
    pdp_error error = {0};
    const bool is_there = pdp_cuda_driver_open(&driver, &error) == PDP_OK;
    if (is_there) {
        pdp_cuda_library_close(driver.library);
    }
    return is_there;
}

/* The engine on a GPU: whether there is one, only its driver knows. */
static pdp_cost reckon_device(const pdp_plan *plan, const pdp_cost *engine) {
    const double *rates = plan->rates.values, start = 1 / rates[PDP_RATE_GPU_START], least = find_gpu_terms();
    pdp_cost cost = *engine;
    cost.on_device = true;
    cost.lacks_kernel = false;
    cost.rate = plan->problem->shape == PDP_INTERVAL ? PDP_RATE_GPU_TILES : PDP_RATE_GPU_BLOCKS;
    cost.seconds = start + cost.operations / rates[cost.rate];
    snprintf(cost.reason, sizeof cost.reason, "%.2f s of it until its driver has started", start);
    if (least >= 0) {
        cost.seconds = engine->seconds * (plan->terms >= least ? 0.99 : 2);
        snprintf(cost.reason, sizeof cost.reason, "PIPEDP_GPU_TERMS is %g", least);
    }
    if (plan->options.explain && !plan->options.device && !has_driver()) {
        pdp_cost_refuse(&cost, "there is no NVIDIA driver here");
    }
    return cost;
}

bool pdp_plan_device_pays(pdp_plan *plan) {
    const double least = find_gpu_terms();
    if (least >= 0 || plan->terms < 1e9) { /* which take a CPU less than any driver */
        return least >= 0 && plan->terms >= least;
    }
    if (plan->cost_count == 0) {
        pdp_plan_reckon(plan);
    }
    const pdp_cost *here = NULL, *there = NULL;
    for (size_t x = 0; x < plan->cost_count; x++) {
        const pdp_cost *cost = &plan->costs[x];
        if (cost->method == plan->method) {
            *(cost->on_device ? &there : &here) = cost;
        }
    }
    return here && there && there->seconds < here->seconds;
}

/* ---- The list ---- */

static int compare_costs(const void *left, const void *right) {
    const pdp_cost *a = left, *b = right;
    if (a->is_refused != b->is_refused) {
        return a->is_refused ? 1 : -1;
    }
    const double first = a->is_weak ? 1.15 * a->seconds : a->seconds;
    const double second = b->is_weak ? 1.15 * b->seconds : b->seconds;
    return first < second ? -1 : first > second ? 1 : 0;
}

/* For the type that is asked for. What is wrong with that is told when the method is opened. */
static bool awaits_kernel(pdp_plan *plan) {
    const pdp_method *engine =
        pdp_method_find(plan->problem->shape, plan->problem->shape == PDP_INTERVAL ? "tiles" : "blocks");
    if (pdp_wish_is_auto(plan->options.type) || !pdp_wish_is_auto(plan->options.algorithm) ||
        pdp_method_refuse(plan, plan->problem, engine)) {
        return false;
    }
    const pdp_stamp stamp = plan->stamp;
    const bool awaits = pdp_plan_choose_type(plan) == PDP_OK &&
                        !pdp_kernel_is_ready(plan->problem->recurrence, &plan->stamp, plan->level, can_compile(plan));
    plan->stamp = stamp;
    plan->error = (pdp_error){0};
    return awaits;
}

bool pdp_plan_is_small(pdp_plan *plan) {
    return plan->terms <= 2e5 && !plan->problem->is_extended && !awaits_kernel(plan);
}

void pdp_plan_sort_costs(pdp_plan *plan) {
    qsort(plan->costs, plan->cost_count, sizeof *plan->costs, compare_costs);
}

void pdp_plan_reckon(pdp_plan *plan) {
    const bool by_us = pdp_wish_is_auto(plan->options.backend);
    const bool on_cpu = !by_us && strcmp(plan->options.backend, "cpu") == 0;
    plan->cost_count = 0;
    if (plan->options.rates) {
        plan->rates = *plan->options.rates;
    } else {
        pdp_rates_find(&plan->rates, plan->level);
    }
    for (const pdp_method *m = pdp_methods_of(plan->problem->shape); m->name; m++) {
        if (m->kind == PDP_STEP_EXACT) { /* for study, not for speed */
            continue;
        }
        pdp_cost *cost = &plan->costs[plan->cost_count++];
        const char *refusal = pdp_plan_refusal(plan, m);
        *cost = (pdp_cost){.method = m};
        if (refusal) {
            pdp_cost_refuse(cost, refusal);
            continue;
        }
        pdp_plan trial = *plan;
        trial.method = m;
        trial.kernel = (pdp_kernel){0};
        reckon(&trial, cost);
        plan->typed = trial.typed;
        if (m->kind == PDP_ENGINE && !cost->is_refused && !on_cpu) {
            const pdp_cost there = reckon_device(plan, cost);
            plan->cost_count += by_us;
            plan->costs[plan->cost_count - 1] = there;
        }
        if (cost->lacks_kernel && !cost->is_refused && !cost->on_device) { /* a device needs none */
            pdp_cost_refuse(cost, plan->options.compile
                                      ? "it has no kernel, and compiling is switched off by PIPEDP_COMPILE=0"
                                      : "it has no kernel, and compiling is switched off");
        }
    }
    pdp_plan_sort_costs(plan);
}

/* ---- In words ---- */

static void explain_choice(const pdp_plan *plan, char *out, size_t size) {
    const char *name = plan->method->name;
    const pdp_cost *first = plan->costs;
    size_t count = 0;
    while (count < plan->cost_count && !plan->costs[count].is_refused) {
        count++;
    }
    size_t weak = 0; /* the first that would be faster */
    while (weak < count && !(plan->costs[weak].is_weak && plan->costs[weak].seconds < first->seconds)) {
        weak++;
    }
    if (!pdp_wish_is_auto(plan->options.algorithm)) {
        snprintf(out, size, "%s is asked for", name);
    } else if (plan->options.record) {
        snprintf(out, size, "%s is what is recorded", name);
    } else if (plan->is_small) {
        snprintf(out, size, "%s: there are so few terms that a choice would not pay", name);
    } else if (count <= 1) {
        snprintf(out, size, "%s is the only way to what is asked for", name);
    } else if (first->method == plan->method && first->on_device == (plan->device != NULL) && weak < count) {
        snprintf(out, size, "%s: %s is predicted to be faster, but leaves little to check by", name,
                 plan->costs[weak].method->name);
    } else if (first->method == plan->method && first->on_device == (plan->device != NULL)) {
        snprintf(out, size, "%s is predicted to be the fastest of %zu ways, by rates that are %s", name, count,
                 plan->rates.is_measured ? "measured" : "built in: pipedp tune measures this machine's");
    } else {
        snprintf(out, size, "%s: what is predicted to be faster cannot be had here", name);
    }
}

static void explain_type(const pdp_plan *plan, char *out, size_t size) {
    const pdp_problem *problem = plan->problem;
    const char *name = pdp_type_name(&plan->stamp, problem);
    const bool is_whole = pdp_element_is_whole(problem->element);
    pdp_wide reach = 0;
    for (size_t x = 0; x < plan->count && is_whole; x++) {
        const pdp_bounds bounds = pdp_bounds_find(plan->problems[x]);
        reach = bounds.reach > reach ? bounds.reach : reach;
    }
    const char *asked =
        !pdp_wish_is_auto(plan->options.type) && strcmp(plan->options.type, name) == 0 ? " is asked for" : "";
    const pdp_wide most = problem->element == PDP_ELEMENT_I32 ? INT32_MAX : INT64_MAX;
    if (!is_whole) {
        snprintf(out, size, "%s%s", name, *asked ? asked : ", as the recurrence has it");
    } else if (reach >= PDP_UNBOUNDED) {
        snprintf(out, size, "%s: no bound on the values is proven, so that they are checked", name);
    } else if (plan->stamp.type != PDP_TYPE_WIDE) {
        snprintf(out, size, "%s%s: on the way to a value nothing is beyond %.6g, which is proven from the data", name,
                 asked, (double)reach);
    } else if (reach <= most) {
        snprintf(out, size, "%s: %s checks every value, though it is proven from the data that nothing is beyond %.6g",
                 name, plan->method->name, (double)reach);
    } else {
        snprintf(out, size, "%s: on the way to a value there may be numbers up to %.6g, so that they are checked", name,
                 (double)reach);
    }
}

/* What an engine works on at once. Tiles are of one size: twice that is within 3 % (docs/performance.md). */
static void explain_size(const pdp_plan *plan, char *out, size_t size) {
    if (plan->method->kind != PDP_ENGINE) {
        snprintf(out, size, "%s has no tiles", plan->method->name);
    } else if (plan->problem->shape == PDP_LINEAR) {
        snprintf(out, size, "blocks of cells that fit into the first cache, longer where offsets lie far apart");
    } else {
        snprintf(out, size, "tiles of 64 x 64 cells, whatever the length");
    }
}

static void explain_device(const pdp_plan *plan, char *out, size_t size) {
    const char *wish = plan->options.backend, *name = pdp_plan_backend(plan);
    if (!pdp_wish_is_auto(wish)) {
        snprintf(out, size, "%s is asked for", name);
    } else if (plan->device) {
        snprintf(out, size, "%s: so many terms are worth the start of its driver", name);
    } else if (plan->note[0] != '\0' && strncmp(plan->note, "on the CPU", 10) == 0) {
        snprintf(out, size, "%.230s", plan->note);
    } else {
        bool is_missing = plan->cost_count > 0 && plan->costs[0].on_device;
        for (size_t x = 0; x < plan->cost_count && !is_missing; x++) {
            is_missing = plan->costs[x].on_device && plan->costs[x].is_refused;
        }
        snprintf(out, size, "%s: %s", name,
                 is_missing ? "no GPU can be used here" : "a GPU is not worth the start of its driver");
    }
}

/* What else the others hang on. */
static void explain_others(pdp_plan *plan) {
    for (size_t x = 0; x < plan->cost_count; x++) {
        pdp_cost *cost = &plan->costs[x];
        if (cost->is_unsure && !cost->is_refused && cost->method != plan->method) {
            const size_t used = strlen(cost->reason);
            snprintf(cost->reason + used, sizeof cost->reason - used, "%sif the data keeps to 'monotone'",
                     used > 0 ? ", " : "");
        }
    }
}

void pdp_plan_explain(pdp_plan *plan) {
    explain_choice(plan, plan->reasons[0], sizeof *plan->reasons);
    explain_type(plan, plan->reasons[1], sizeof *plan->reasons);
    explain_size(plan, plan->reasons[2], sizeof *plan->reasons);
    snprintf(plan->reasons[3], sizeof *plan->reasons, "%" PRIu64 " bytes are needed, and %" PRIu64 " are %s",
             plan->bytes, plan->allowed, plan->options.memory_limit > 0 ? "allowed" : "free");
    explain_device(plan, plan->reasons[4], sizeof *plan->reasons);
    explain_others(plan);
}
