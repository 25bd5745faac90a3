/* Which method, which type, what it needs, and running it. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "compile/module.h"
#include "core/memory.h"
#include "core/threads.h"
#include "cpu/ceiling.h"
#include "cpu/interval.h"
#include "gpu/ceiling.h"
#include "plan/plan.h"
#include "plan/type.h"
#include "reference/reference.h"

bool pdp_wish_is_auto(const char *wish) {
    return !wish || strcmp(wish, "auto") == 0;
}

/* ---- Bytes ---- */

uint64_t pdp_plan_least_table(const pdp_problem *problem, pdp_machine_type type) {
    const uint64_t n = problem->n, size = pdp_machine_type_bytes(type);
    return problem->shape == PDP_INTERVAL ? pdp_bytes_multiply(pdp_bytes_multiply(n, n + 1) / 2, size)
                                          : pdp_bytes_multiply(n, size);
}

/* Of an engine on the CPU: its table, and what it needs while it works. */
static uint64_t engine_bytes(const pdp_plan *plan, const pdp_problem *problem, int threads, uint64_t *table) {
    const uint64_t bytes = pdp_data_bytes(problem, &plan->stamp);
    if (!plan->kernel.kernel) {
        *table = pdp_plan_least_table(problem, plan->stamp.type);
        return bytes;
    }
    if (problem->shape == PDP_LINEAR) {
        pdp_linear_job job = pdp_plan_linear_job(plan, problem, NULL, threads);
        *table = pdp_linear_table_bytes(&job);
        return pdp_bytes_add(bytes, pdp_linear_scratch_bytes(&job));
    }
    pdp_tiles tiles = pdp_plan_tiles(plan, problem);
    *table = pdp_tiles_bytes(&tiles);
    return pdp_bytes_add(bytes, pdp_interval_bytes(plan->kernel.kernel, &tiles, threads));
}

/* What a problem takes besides an engine on the CPU. */
static uint64_t other_bytes(const pdp_plan *plan, const pdp_problem *problem) {
    uint64_t bytes = sizeof(pdp_solution) + sizeof(pdp_solution *);
    if (plan->on_machine) {
        bytes = pdp_bytes_add(bytes, pdp_machine_bytes(problem, &plan->schedule, &plan->watch));
    }
    if (plan->device) {
        bytes = pdp_bytes_add(bytes, pdp_plan_device_bytes(plan, problem));
    } else if (plan->method->shortcut) {
        bytes = pdp_bytes_add(bytes, plan->method->shortcut->bytes(plan, problem));
    } else if (plan->method->kind != PDP_ENGINE) {
        bytes = pdp_bytes_add(bytes, pdp_problem_is_paper(problem) ? pdp_solution_table_bytes(problem)
                                                                   : pdp_reference_bytes(problem));
    }
    if (problem->shape == PDP_INTERVAL && plan->options.splits) {
        bytes = pdp_bytes_add(bytes, pdp_solution_table_bytes(problem));
    }
    const bool chooses = problem->combine == PDP_OP_MIN || problem->combine == PDP_OP_MAX;
    if (problem->shape == PDP_LINEAR && plan->options.decisions && chooses) {
        bytes = pdp_bytes_add(bytes, pdp_solution_steps_bytes(problem, pdp_certify_patience(plan, problem)));
    }
    if (plan->options.verify) {
        bytes = pdp_bytes_add(bytes, pdp_certify_bytes(plan, problem));
    }
    if (problem->shape == PDP_INTERVAL && (plan->options.decisions || plan->options.splits)) {
        /* and the parts that wait on the way to them */
        bytes = pdp_bytes_add(bytes, pdp_bytes_multiply(problem->n + 1, sizeof(pdp_decision) + 4 * sizeof(size_t)));
    }
    return bytes;
}

/* Of several problems, what is kept, and the most that the threads hold besides at one time. */
static uint64_t count_bytes(const pdp_plan *plan) {
    const bool by_engine = plan->method->kind == PDP_ENGINE && !plan->device;
    uint64_t bytes = 0, alone = 0, each = 0; /* the most for a large problem, for one of many */
    for (size_t x = 0; x < plan->count; x++) {
        const pdp_problem *problem = plan->problems[x];
        const bool is_large = pdp_plan_is_large(plan, problem);
        uint64_t table = 0, work = 0, *most = is_large ? &alone : &each;
        if (by_engine) {
            work = engine_bytes(plan, problem, is_large ? plan->threads : 1, &table);
        }
        if (pdp_plan_drops_table(plan)) {
            work = pdp_bytes_add(work, table);
            table = 0;
        }
        *most = work > *most ? work : *most;
        bytes = pdp_bytes_add(bytes, pdp_bytes_add(other_bytes(plan, problem), table));
    }
    const uint64_t threads = plan->count < (size_t)plan->threads ? plan->count : (uint64_t)plan->threads;
    const uint64_t together = pdp_bytes_multiply(each, threads);
    return pdp_bytes_add(bytes, alone > together ? alone : together);
}

void pdp_plan_measure(pdp_plan *plan) {
    const bool is_small = plan->terms < 4e6; /* done before a second thread has started */
    const bool is_single = plan->method->shortcut && plan->method->shortcut->prepare; /* whose kernel only weighs */
    const bool has_engine = plan->method->kind == PDP_ENGINE || (plan->kernel.kernel && !is_single);
    const bool has_threads = !plan->device && (has_engine || plan->count > 1);
    plan->threads = !has_threads                ? 1
                    : plan->options.threads > 0 ? plan->options.threads
                    : is_small                  ? 1
                                                : pdp_threads_available();
    plan->bytes = count_bytes(plan);
}

bool pdp_plan_fits(const pdp_plan *plan) {
    return plan->bytes <= plan->allowed && plan->bytes < UINT64_MAX; /* saturated: see pdp_bytes_multiply */
}

/* ---- Choosing ---- */

/* The caller's struct may be older and shorter than ours: what it lacks keeps its default. */
static pdp_status copy_options(pdp_options *to, const pdp_options *from, pdp_error *error) {
    *to = (pdp_options)PDP_OPTIONS_DEFAULT;
    if (!from) {
        return PDP_OK;
    }
    if (from->struct_size < sizeof from->struct_size || from->struct_size > sizeof *from) {
        return pdp_error_set(error, PDP_BAD_INPUT,
                             "options.struct_size is %zu, and must be at most %zu: set it with PDP_OPTIONS_DEFAULT",
                             from->struct_size, sizeof *from);
    }
    memcpy(to, from, from->struct_size);
    if (to->width < 1 || to->width > 1024) {
        return pdp_error_set(error, PDP_BAD_INPUT, "width is %" PRIu32 ", and must be 1 to 1024", to->width);
    }
    if (to->latency < 1) {
        return pdp_error_set(error, PDP_BAD_INPUT, "latency is 0, and must be at least 1");
    }
    if (to->threads < 0 || to->threads > 4096) {
        return pdp_error_set(error, PDP_BAD_INPUT, "threads is %d, and must be 0 to 4096", to->threads);
    }
    if (to->verify < 0 || to->verify > 2) {
        return pdp_error_set(error, PDP_BAD_INPUT, "verify is %d, and must be 0 to 2", to->verify);
    }
    if (to->compile < 0 || to->compile > 2) {
        return pdp_error_set(error, PDP_BAD_INPUT, "compile is %d, and must be 0 to 2", to->compile);
    }
    to->decisions = to->decisions ? 1 : to->verify ? PDP_DECISIONS_TO_CHECK : 0; /* what is checked first */
    return PDP_OK;
}

static pdp_status fail_unknown(pdp_error *error, const char *name, pdp_shape shape) {
    const bool is_linear = shape == PDP_LINEAR;
    const bool is_of_other = pdp_method_find(is_linear ? PDP_INTERVAL : PDP_LINEAR, name) != NULL;
    char list[200] = "auto";
    for (const pdp_method *m = pdp_methods_of(shape); m->name; m++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", %s", m->name);
    }
    return pdp_error_set(error, PDP_BAD_INPUT, "algorithm '%.40s' is %s; for %s recurrences there are %s", name,
                         !is_of_other ? "not known"
                         : is_linear  ? "for interval recurrences"
                                      : "for linear recurrences",
                         is_linear ? "linear" : "interval", list);
}

/* The first problem that a method cannot solve; their number if it can solve them all. */
static size_t find_refused(const pdp_plan *plan, const pdp_method *m) {
    size_t x = 0;
    while (x < plan->count && !pdp_method_refuse(plan, plan->problems[x], m)) {
        x++;
    }
    return x;
}

double pdp_problem_terms(const pdp_problem *problem) {
    const double n = (double)problem->n;
    return problem->shape == PDP_LINEAR ? n * (double)problem->offset_count : n * n * n / 6;
}

pdp_status pdp_plan_name_problem(const pdp_plan *plan, size_t number, pdp_error *error) {
    if (plan->count > 1) {
        const pdp_error own = *error;
        pdp_error_set(error, own.status, "problem %zu: %.280s", number + 1, own.text);
    }
    return error->status;
}

pdp_machine_type pdp_plan_plain_type(const pdp_problem *problem) {
    return pdp_problem_is_paper(problem) ? PDP_TYPE_I64 : pdp_reference_type(problem);
}

pdp_status pdp_plan_choose_type(pdp_plan *plan) {
    size_t widest = 0;
    if (!plan->typed.is_known) {
        plan->typed.is_known = true;
        pdp_type_choose(&plan->typed.stamp, plan->problems, plan->count, plan->options.type, plan->level, false,
                        &widest, &plan->typed.error);
    }
    plan->stamp = plan->typed.stamp;
    plan->error = plan->typed.error;
    return plan->error.status;
}

/* Whether the type is the one that is asked for. */
static pdp_status check_wish(pdp_plan *plan) {
    const char *name = pdp_type_name(&plan->stamp, plan->problem);
    return pdp_wish_is_auto(plan->options.type) || strcmp(plan->options.type, name) == 0
               ? PDP_OK
               : pdp_error_set(&plan->error, PDP_BAD_INPUT, "method '%s' computes with %s, not with %.40s",
                               plan->method->name, name, plan->options.type);
}

pdp_status pdp_plan_open_kernel(pdp_plan *plan, bool is_asked_for) {
    const pdp_problem *problem = plan->problem;
    pdp_error error = {0};
    if (pdp_plan_choose_type(plan) != PDP_OK) {
        return plan->error.status;
    }
    /* A few terms are interpreted before a compiler has started, unless in another type than is asked for. */
    const bool has_wish = !pdp_wish_is_auto(plan->options.type);
    const bool may_compile = plan->options.compile && (is_asked_for || has_wish || plan->terms > 2e5);
    pdp_kernel_open(&plan->kernel, problem->recurrence, &plan->stamp, plan->level, may_compile, &error);
    if (error.status == PDP_OK) {
        return PDP_OK;
    }
    if (is_asked_for || error.status == PDP_NO_MEMORY) {
        return pdp_error_set(&plan->error, error.status, "no kernel for '%s': %.250s", problem->recurrence->name,
                             error.text);
    }
    plan->stamp.type = pdp_reference_type(problem);
    if (plan->method->kind == PDP_ENGINE) {
        plan->method = pdp_method_find(problem->shape, "sequential");
        plan->stamp.type = pdp_plan_plain_type(problem);
    }
    if (check_wish(plan) != PDP_OK) {
        return plan->error.status;
    }
    if (may_compile || !plan->options.compile || pdp_module_is_off()) {
        pdp_plan_add_note(plan, "interpreted, which is slow: %s", error.text);
    }
    return PDP_OK;
}

/* Only a method that computes no other cell goes beyond the last one. */
static pdp_status check_reach(pdp_plan *plan) {
    for (size_t x = 0; x < plan->count && plan->method->shortcut != &pdp_method_bostan_mori; x++) {
        const pdp_problem *problem = plan->problems[x];
        if (problem->is_extended) {
            const char *why = pdp_method_refuse(plan, problem, pdp_method_find(PDP_LINEAR, "bostan-mori"));
            pdp_error_set(&plan->error, PDP_BAD_INPUT,
                          "cell %" PRId64 " is beyond the last one, %zu; method 'bostan-mori' alone goes there%s%s",
                          plan->options.at, problem->whole->n - 1, why ? ", but not here: " : "", why ? why : "");
            return pdp_plan_name_problem(plan, x, &plan->error);
        }
    }
    return PDP_OK;
}

void pdp_plan_add_note(pdp_plan *plan, const char *format, ...) {
    const size_t used = strlen(plan->note);
    const int gap = snprintf(plan->note + used, sizeof plan->note - used, "%s", used > 0 ? "; " : "");
    va_list arguments;
    va_start(arguments, format);
    if (used + (size_t)gap < sizeof plan->note) {
        vsnprintf(plan->note + used + gap, sizeof plan->note - used - (size_t)gap, format, arguments);
    }
    va_end(arguments);
}

/* The method's own check of the data. PDP_BAD_INPUT if it cannot solve problem *number. */
static pdp_status check_data(pdp_plan *plan, size_t *number) {
    const pdp_shortcut *shortcut = plan->method->shortcut;
    return shortcut && shortcut->prepare ? shortcut->prepare(plan, number) : PDP_OK;
}

/* What the plan's method computes with, and its kernel. Where an engine's is missing, and that was not asked for, the
 * method is the plain loops. */
static pdp_status open_method(pdp_plan *plan, bool is_asked_for) {
    const pdp_shortcut *shortcut = plan->method->shortcut;
    if (plan->method->kind == PDP_ENGINE) {
        return pdp_plan_open_kernel(plan, is_asked_for);
    }
    if (shortcut && shortcut->choose_type) {
        return shortcut->choose_type(plan);
    }
    if (!shortcut || !shortcut->prepare) { /* which has set its own */
        plan->stamp.type = pdp_plan_plain_type(plan->problem);
    }
    return check_wish(plan);
}

/* A method by its name. */
static pdp_status take_method(pdp_plan *plan, const char *name, bool is_asked_for) {
    plan->method = pdp_method_find(plan->problem->shape, name);
    if (!plan->method) {
        return fail_unknown(&plan->error, name, plan->problem->shape);
    }
    if (check_reach(plan) != PDP_OK) {
        return plan->error.status;
    }
    size_t number = find_refused(plan, plan->method);
    if (number < plan->count) {
        pdp_error_set(&plan->error, PDP_BAD_INPUT, "%s", pdp_method_refuse(plan, plan->problems[number], plan->method));
    } else if (pdp_plan_choose_device(plan) != PDP_OK || plan->device) {
        return plan->error.status;
    }
    if (plan->error.status != PDP_OK || check_data(plan, &number) != PDP_OK) {
        const pdp_error why = plan->error;
        pdp_error_set(&plan->error, why.status, "method '%s' cannot solve this problem: %.230s", name, why.text);
        return pdp_plan_name_problem(plan, number, &plan->error);
    }
    return open_method(plan, is_asked_for);
}

/* Another method, since this one cannot be had. */
static void pass_over(pdp_plan *plan) {
    pdp_plan_add_note(plan, "not by %s: %s", plan->method->name, plan->error.text);
    plan->error = (pdp_error){0};
    pdp_kernel_close(&plan->kernel);
}

/* As if the method had not been opened. */
static void step_back(pdp_plan *plan, int decisions, size_t kept) {
    pdp_kernel_close(&plan->kernel);
    pdp_plan_close_device(plan);
    plan->options.decisions = decisions; /* which a method may do without */
    plan->note[kept] = '\0';
    plan->bytes = 0;
}

/* Where the engine has no kernel, it is opened all the same: the plain loops take over, and a note says why. */
static void stand_in(pdp_plan *plan) {
    for (size_t x = 0; x < plan->cost_count; x++) {
        if (plan->costs[x].lacks_kernel) {
            plan->method = plan->costs[x].method;
        }
    }
}

/* One of the costs, if it can be had: a device may be missing, a compiler may fail, the data may be against it, and how
 * much memory it needs is only known of a kernel that is there. *kept of the note are for whatever is taken. */
static bool take(pdp_plan *plan, pdp_cost *cost, size_t *kept) {
    const int decisions = plan->options.decisions;
    size_t number = 0;
    plan->method = cost->method;
    if (cost->method->kind == PDP_PLAIN) {
        stand_in(plan);
    }
    if (cost->on_device) {
        if (pdp_plan_choose_device(plan) != PDP_OK) {
            return true;
        }
        if (!plan->device) {
            *kept = strlen(plan->note);
            return false;
        }
    } else if (check_data(plan, &number) != PDP_OK || open_method(plan, false) != PDP_OK) {
        if (plan->error.status != PDP_BAD_INPUT) {
            return true;
        }
        pdp_cost_refuse(cost, plan->error.text);
        pass_over(plan);
        *kept = strlen(plan->note);
        return false;
    } else if (plan->method != cost->method) {
        return false;
    }
    pdp_plan_measure(plan);
    if (pdp_cost_fits(cost, plan)) {
        return true;
    }
    step_back(plan, decisions, *kept);
    return false;
}

/* The first of the costs that can be had after all. False if none can. */
static bool take_cheapest(pdp_plan *plan) {
    size_t kept = 0;                      /* of the note */
    char missing[sizeof plan->note] = ""; /* that there is no kernel is only told where the plain loops are taken */
    bool is_taken = false;
    for (size_t x = 0; !is_taken && x < plan->cost_count && !plan->costs[x].is_refused; x++) {
        const pdp_method_kind kind = plan->costs[x].method->kind;
        plan->note[kept] = '\0';
        if (kind == PDP_PLAIN && missing[0] != '\0') {
            pdp_plan_add_note(plan, "%s", missing);
        }
        is_taken = take(plan, &plan->costs[x], &kept);
        if (!is_taken && kind == PDP_ENGINE && plan->note[kept] != '\0') {
            snprintf(missing, sizeof missing, "%s", plan->note + kept + (kept > 0 ? strlen("; ") : 0));
        }
    }
    pdp_plan_sort_costs(plan);
    return is_taken;
}

static const char *engine_or_loops(const pdp_plan *plan) {
    const char *engine = plan->problem->shape == PDP_INTERVAL ? "tiles" : "blocks", *backend = plan->options.backend;
    if (!pdp_wish_is_auto(backend) && strcmp(backend, "cpu") != 0) { /* where there are no loops */
        return engine;
    }
    return find_refused(plan, pdp_method_find(plan->problem->shape, engine)) < plan->count ? "sequential" : engine;
}

/* A matrix chain of which no table is wanted, nor a type. */
static bool is_for_hu_shing(const pdp_plan *plan) {
    const pdp_method *method = pdp_method_find(plan->problem->shape, "hu-shing");
    return method && pdp_wish_is_auto(plan->options.type) && !pdp_plan_refusal(plan, method);
}

/* A small problem that would be interpreted, term by term: then it is by the fewest. A note says why not, if the data
 * is against it. */
static bool take_knuth(pdp_plan *plan) {
    const pdp_method *method = pdp_method_find(plan->problem->shape, "knuth");
    size_t number = 0;
    pdp_error error = {0};
    if (!method || !pdp_wish_is_auto(plan->options.type) || pdp_plan_refusal(plan, method) ||
        pdp_type_choose(&plan->stamp, plan->problems, plan->count, "i64", plan->level, false, &number, &error) !=
            PDP_OK ||
        pdp_kernel_is_ready(plan->problem->recurrence, &plan->stamp, plan->level, false)) {
        return false;
    }
    plan->method = method;
    if ((check_data(plan, &number) == PDP_OK && open_method(plan, false) == PDP_OK) ||
        plan->error.status != PDP_BAD_INPUT) {
        return true;
    }
    pass_over(plan);
    return false;
}

/* What is done before a choice would be. */
static pdp_status take_small(pdp_plan *plan) {
    return take_knuth(plan) ? plan->error.status
                            : take_method(plan, is_for_hu_shing(plan) ? "hu-shing" : engine_or_loops(plan), false);
}

static pdp_status choose_method(pdp_plan *plan) {
    const char *backend = plan->options.backend, *wish = plan->options.algorithm;
    const bool by_us = pdp_wish_is_auto(wish) && !plan->options.record;
    const bool on_cpu = pdp_wish_is_auto(backend) || strcmp(backend, "cpu") == 0;
    const bool has_rates = on_cpu || strcmp(backend, "cuda") == 0, has_choice = by_us && on_cpu;
    const uint64_t limit = plan->options.memory_limit;
    plan->allowed = limit > 0 ? limit : pdp_memory_available();
    plan->is_small = pdp_plan_is_small(plan);
    if ((has_choice && !plan->is_small) || (plan->options.explain && has_rates)) {
        pdp_plan_reckon(plan);
    }
    if (has_choice && plan->is_small) {
        if (take_small(plan) != PDP_OK) {
            return plan->error.status;
        }
        pdp_plan_measure(plan);
        if (pdp_plan_fits(plan)) {
            return PDP_OK;
        }
        step_back(plan, plan->options.decisions, 0);
        plan->is_small = false;
        pdp_plan_reckon(plan);
    }
    if (has_choice && take_cheapest(plan)) {
        return plan->error.status;
    }
    const char *name = !pdp_wish_is_auto(wish) ? wish : plan->options.record ? "pipeline" : engine_or_loops(plan);
    return take_method(plan, name, !pdp_wish_is_auto(wish));
}

/* ---- Memory ---- */

/* Whether 'window' has room, which was no candidate because of what it does not keep. Who names a method knows. */
static bool has_room_for_window(const pdp_plan *plan) {
    const pdp_method *window = pdp_method_find(plan->problem->shape, "window");
    pdp_plan other = *plan;
    other.method = window;
    other.device = NULL;
    other.options.table = other.options.decisions = 0;
    if (!window || !pdp_wish_is_auto(plan->options.algorithm) || pdp_plan_refusal(&other, window)) {
        return false;
    }
    pdp_plan_measure(&other);
    return pdp_plan_fits(&other);
}

static pdp_status check_memory(pdp_plan *plan) {
    if (pdp_plan_fits(plan)) {
        return PDP_OK;
    }
    if (plan->bytes == UINT64_MAX) {
        return pdp_error_set(&plan->error, PDP_NO_MEMORY, "method '%s' needs more than 2^64 bytes", plan->method->name);
    }
    return pdp_error_set(&plan->error, PDP_NO_MEMORY, "method '%s' needs %" PRIu64 " bytes, and %" PRIu64 " are %s%s",
                         plan->method->name, plan->bytes, plan->allowed,
                         plan->options.memory_limit > 0 ? "allowed" : "free",
                         has_room_for_window(plan) ? "; without table and decisions method 'window' needs less" : "");
}

/* ---- Plans ---- */

/* PDP_NO_MEMORY if that cannot be found out. */
static pdp_status compare_recurrences(const pdp_recurrence *one, const pdp_recurrence *other, bool *same,
                                      pdp_error *error) {
    *same = one == other;
    if (*same) {
        return PDP_OK;
    }
    char *texts[] = {pdp_recurrence_print(one), pdp_recurrence_print(other)};
    if (!texts[0] || !texts[1]) {
        pdp_error_set_no_memory(error, PDP_MAX_TEXT);
    } else {
        *same = strcmp(texts[0], texts[1]) == 0;
    }
    free(texts[0]);
    free(texts[1]);
    return error->status;
}

/* The same kernel has to fit all problems. */
static pdp_status check_kind(pdp_plan *plan, size_t number) {
    const pdp_problem *first = plan->problem, *own = plan->problems[number];
    bool same = false;
    if (compare_recurrences(first->recurrence, own->recurrence, &same, &plan->error) != PDP_OK) {
        return plan->error.status;
    }
    const bool same_asked = pdp_problem_asked_combine(first) == pdp_problem_asked_combine(own);
    const char *difference = !same         ? "its recurrence is another"
                             : !same_asked ? "its operator is another"
                             : first->combine != own->combine
                                 ? "a gcd of one term stays as it is, and one of several is not negative"
                             : first->element != own->element ? "it computes with other numbers"
                             : first->has_source != own->has_source ||
                                     memcmp(first->has_option, own->has_option, sizeof own->has_option) != 0
                                 ? "one of them has an input that the other has not"
                                 : NULL;
    return difference ? pdp_error_set(&plan->error, PDP_BAD_INPUT, "problem %zu is not of one kind with the first: %s",
                                      number + 1, difference)
                      : PDP_OK;
}

static pdp_status check_problems(pdp_plan *plan) {
    for (size_t x = 0; x < plan->count; x++) {
        const pdp_problem *problem = plan->problems[x];
        if (!problem || pdp_problem_check((pdp_problem *)problem) != PDP_OK) {
            pdp_error_set(&plan->error, PDP_BAD_INPUT, "the problem is not valid: %.280s", pdp_problem_error(problem));
            return pdp_plan_name_problem(plan, x, &plan->error);
        }
        if (check_kind(plan, x) != PDP_OK) {
            return plan->error.status;
        }
        plan->terms += pdp_problem_terms(problem);
    }
    return PDP_OK;
}

/* Problems that end with the cell that is wanted. */
static pdp_status choose_cells(pdp_plan *plan) {
    const int64_t at = plan->options.at;
    if (at == -1) {
        return PDP_OK;
    }
    if (plan->problem->shape != PDP_LINEAR) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT, "at is %" PRId64 ", and '%s' is not linear", at,
                             plan->problem->recurrence->name);
    }
    if (at < 0 || at >= PDP_MOST_CELLS) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT, "at is %" PRId64 ", and must be 0 to %" PRId64 ", or -1", at,
                             PDP_MOST_CELLS - 1);
    }
    plan->terms = 0;
    for (size_t x = 0; x < plan->count; x++) {
        pdp_problem *own = NULL;
        pdp_problem_resize(&own, plan->problems[x], (size_t)at + 1, &plan->error);
        pdp_problem_free((pdp_problem *)plan->problems[x]);
        plan->problems[x] = own;
        if (plan->error.status != PDP_OK) {
            return pdp_plan_name_problem(plan, x, &plan->error);
        }
        plan->terms += pdp_problem_terms(own);
    }
    plan->problem = plan->problems[0];
    return PDP_OK;
}

static pdp_status open_schedule(pdp_plan *plan) {
    const pdp_options *o = &plan->options;
    plan->watch = (pdp_watch){o->record != 0, o->width, o->latency, o->record ? o->on_step : NULL, o->context};
    plan->on_machine = (o->record || plan->method->kind == PDP_STEP_EXACT) && !plan->device;
    if (plan->on_machine && plan->count > 1) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT,
                             "the step-exact machine solves one problem, and there are %zu", plan->count);
    }
    return plan->on_machine ? plan->method->schedule(&plan->schedule, plan->problem, &plan->error) : PDP_OK;
}

static void drop_problems(pdp_plan *plan) {
    for (size_t x = 0; x < plan->count; x++) {
        pdp_problem_free((pdp_problem *)plan->problems[x]);
        plan->problems[x] = NULL;
    }
}

/* The problems are the plan's too: nobody sets their data anew while it is there. */
static pdp_status take_problems(pdp_plan *plan, pdp_problem *const *problems, size_t count) {
    if (count == 0) {
        return pdp_error_set(&plan->error, PDP_BAD_INPUT, "there are no problems, and must be at least 1");
    }
    plan->problems = pdp_array_allocate(count, sizeof(pdp_problem *), &plan->error);
    if (!plan->problems) {
        return plan->error.status;
    }
    plan->count = count;
    for (size_t x = 0; x < count; x++) {
        plan->problems[x] = problems[x] ? pdp_problem_share(problems[x]) : NULL;
    }
    plan->problem = problems[0];
    return check_problems(plan);
}

pdp_status pdp_plan_batch(pdp_plan **out, pdp_problem *const *problems, size_t count, const pdp_options *options) {
    pdp_plan *plan = *out = calloc(1, sizeof *plan);
    if (!plan) {
        return PDP_NO_MEMORY;
    }
    if (take_problems(plan, problems, count) != PDP_OK ||
        copy_options(&plan->options, options, &plan->error) != PDP_OK || choose_cells(plan) != PDP_OK ||
        pdp_level_find(&plan->level, &plan->error) != PDP_OK || choose_method(plan) != PDP_OK ||
        open_schedule(plan) != PDP_OK) {
        drop_problems(plan);
        return plan->error.status;
    }
    if (plan->bytes == 0) {
        pdp_plan_measure(plan);
    }
    if (check_memory(plan) != PDP_OK) {
        drop_problems(plan);
    } else if (plan->options.explain) {
        pdp_plan_explain(plan);
    }
    return plan->error.status;
}

pdp_status pdp_plan_create(pdp_plan **out, const pdp_problem *problem, const pdp_options *options) {
    return pdp_plan_batch(out, (pdp_problem *const *)&problem, 1, options);
}

static bool is_good(const pdp_plan *plan) {
    return plan && plan->error.status == PDP_OK;
}

const char *pdp_plan_algorithm(const pdp_plan *plan) {
    return is_good(plan) ? plan->method->name : "";
}

const char *pdp_plan_type(const pdp_plan *plan) {
    return is_good(plan) ? pdp_type_name(&plan->stamp, plan->problem) : "";
}

const char *pdp_plan_note(const pdp_plan *plan) {
    return is_good(plan) ? plan->note : "";
}

int pdp_plan_threads(const pdp_plan *plan) {
    return is_good(plan) ? plan->threads : 0;
}

const char *pdp_plan_backend(const pdp_plan *plan) {
    return !is_good(plan) ? "" : plan->device ? plan->device->calls->name : plan->on_machine ? "machine" : "cpu";
}

int pdp_plan_guaranteed(const pdp_plan *plan) {
    return is_good(plan) && plan->method->guaranteed;
}

uint64_t pdp_plan_bytes(const pdp_plan *plan) {
    return is_good(plan) ? plan->bytes : 0;
}

int pdp_plan_candidate(const pdp_plan *plan, size_t index, pdp_candidate *out) {
    if (!is_good(plan) || index >= plan->cost_count) {
        return 0;
    }
    const pdp_cost *cost = &plan->costs[index];
    const bool is_chosen = cost->method == plan->method && cost->on_device == (plan->device != NULL);
    *out = (pdp_candidate){.algorithm = cost->method->name,
                           .backend = cost->on_device ? "cuda" : "cpu",
                           .refused = cost->is_refused,
                           .chosen = is_chosen,
                           .seconds = cost->is_refused ? 0 : cost->seconds,
                           .operations = cost->is_refused ? 0 : cost->operations,
                           .rate = cost->rate,
                           .bytes = is_chosen ? plan->bytes : cost->bytes,
                           .reason = cost->reason};
    return 1;
}

const char *pdp_plan_reason(const pdp_plan *plan, size_t index, const char **about) {
    static const char *const names[PDP_REASONS] = {"choice", "type", "size", "memory", "device"};
    const bool is_there = is_good(plan) && plan->options.explain && index < PDP_REASONS;
    *about = is_there ? names[index] : NULL;
    return is_there ? plan->reasons[index] : NULL;
}

const char *pdp_plan_error(const pdp_plan *plan) {
    return plan ? plan->error.text : "out of memory";
}

size_t pdp_plan_count(const pdp_plan *plan) {
    return is_good(plan) ? plan->count : 0;
}

/* Interval: cells of distance d from the diagonal have d-1 terms. Linear: a cell has the terms whose offset it has. */
static double count_updates(const pdp_problem *problem) {
    const double n = (double)problem->n;
    if (problem->shape == PDP_INTERVAL) {
        return (n + 1) * n * (n - 1) / 6;
    }
    double updates = 0;
    for (size_t j = 0; j < problem->offset_count; j++) {
        size_t first = problem->offsets[j] > problem->preset_count ? problem->offsets[j] : problem->preset_count;
        updates += first < problem->n ? (double)(problem->n - first) : 0;
    }
    return updates;
}

double pdp_plan_updates(const pdp_plan *plan) {
    double updates = 0;
    for (size_t x = 0; x < pdp_plan_count(plan); x++) {
        updates += count_updates(plan->problems[x]);
    }
    return updates;
}

pdp_status pdp_ceiling_create(pdp_ceiling **out, const pdp_plan *plan) {
    const bool has_kernel = is_good(plan) && plan->method->kind == PDP_ENGINE && !plan->device;
    return pdp_ceiling_open(out, has_kernel ? plan->problem : NULL, has_kernel ? &plan->stamp : NULL,
                            has_kernel ? plan->level : PDP_LEVEL_GENERIC);
}

pdp_status pdp_device_ceiling_create(pdp_device_ceiling **out, const pdp_plan *plan) {
    const bool has_kernel = is_good(plan) && plan->method->kind == PDP_ENGINE && plan->device;
    return pdp_device_ceiling_open(out, has_kernel ? plan->device : NULL, has_kernel ? plan->problem : NULL,
                                   has_kernel ? &plan->stamp : NULL);
}

void pdp_plan_free(pdp_plan *plan) {
    if (plan) {
        pdp_kernel_close(&plan->kernel);
        pdp_plan_close_device(plan);
        drop_problems(plan);
        free(plan->problems);
        free(plan);
    }
}
