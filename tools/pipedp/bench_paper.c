/* pipedp bench paper: Table I of the paper, the same with weights, the worst case, and the evaluation of the
 * matrix-chain pipeline that the paper leaves as future work. */
#include "bench_paper.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "option_value.h"

const paper_method paper_methods[PAPER_METHODS] = {
    {"SEQUENTIAL", NULL, false, false, false},
    {"NAIVE-PARALLEL", "naive", true, false, false},
    {"PIPELINE", "pipeline", true, false, false},
    {"tournament", "tournament", true, false, false},
    {"2-by-2 pipeline", "pipeline2", true, false, false},
    {"pipeline, resident", "pipeline", true, true, false},
    {"one device thread", "sequential", true, false, true},
    {"blocks on device", "blocks", true, false, false},
    {"blocks on CPU", "blocks", false, false, false},
};

/* The first gives the table that the others are compared with. */
const paper_method paper_chain_methods[PAPER_CHAIN_METHODS] = {
    {"reference on CPU", "sequential", false, false, false},
    {"tournament", "tournament", true, false, false},
    {"tournament, resident", "tournament", true, true, false},
    {"pipeline", "pipeline", true, false, false},
    {"pipeline, resident", "pipeline", true, true, false},
    {"wavefront", "wavefront", true, false, false},
    {"wavefront, resident", "wavefront", true, true, false},
    {"printed", "pipeline-printed", true, false, false},
    {"printed, resident", "pipeline-printed", true, true, false},
    {"tiles on device", "tiles", true, false, false},
    {"tiles on CPU", "tiles", false, false, false},
};

const char *const paper_schedules[PAPER_SCHEDULES] = {"tournament", "pipeline", "wavefront", "pipeline-printed"};

static const paper_range table_one[PAPER_ROWS] = {
    {1 << 14, 1 << 15, 1 << 12, 1 << 13, {274, 64, 78}},
    {1 << 16, 1 << 17, 1 << 14, 1 << 15, {4288, 368, 386}},
    {1 << 18, 1 << 19, 1 << 16, 1 << 17, {68453, 3018, 2408}},
};
static const paper_range small_table[PAPER_ROWS] = {
    {1 << 7, 1 << 8, 1 << 5, 1 << 6, {0}},
    {1 << 8, 1 << 9, 1 << 6, 1 << 7, {0}},
    {1 << 9, 1 << 10, 1 << 7, 1 << 8, {0}},
};
static const uint64_t chain_sizes[PAPER_CHAINS] = {256, 512, 1024, 2048, 4096};
static const uint64_t small_chain_sizes[PAPER_CHAINS] = {16, 24, 32, 40, 48};

double paper_count_steps(const char *algorithm, uint64_t n, uint64_t k, uint64_t first) {
    const uint64_t stages = strcmp(algorithm, "pipeline") == 0    ? k
                            : strcmp(algorithm, "pipeline2") == 0 ? (k + 1) / 2
                                                                  : 1;
    return (double)(n - first + stages - 1);
}

double paper_count_chain_steps(const char *algorithm, uint64_t n) {
    const double cells = (double)n * (double)(n - 1) / 2;
    return strcmp(algorithm, "wavefront") == 0    ? 3 * (double)n - 5
           : strcmp(algorithm, "tournament") == 0 ? cells
                                                  : cells + (double)n - 2;
}

/* ---- One method ---- */

/* What it has to give. */
typedef struct expected {
    const char *name; /* "row 1" */
    const int64_t *table;
    size_t rows;
    size_t columns;
} expected;

static int verify(const expected *wanted, const pdp_solution *solution, const char *method) {
    int64_t *cells = malloc(wanted->columns * sizeof *cells);
    int code = EXIT_DONE;
    if (!cells) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    for (size_t i = 0; i < wanted->rows && code == EXIT_DONE; i++) {
        const int64_t *row = wanted->table + i * wanted->columns;
        if (pdp_solution_row(solution, i, cells, wanted->columns) != PDP_OK) {
            code = cli_fail(EXIT_FAILED, "%s: the table cannot be read", wanted->name);
        }
        for (size_t j = 0; j < wanted->columns && code == EXIT_DONE; j++) {
            if (cells[j] != row[j]) {
                code = cli_fail(EXIT_MISMATCH,
                                "mismatch: %s, %s: cell (%zu,%zu) is %" PRId64 ", and %" PRId64 " by the reference",
                                wanted->name, method, i, j, cells[j], row[j]);
            }
        }
    }
    free(cells);
    return code;
}

/* The first execution warms up, and counts only if it took so long that there is no other. */
static bool take_time(const paper_report *report, paper_cell *cell, bool is_first, double seconds, double whole,
                      double spent) {
    if (!is_first || whole > report->seconds) {
        cell->seconds[cell->runs] = seconds;
        cell->whole[cell->runs++] = whole;
    }
    return cell->runs < report->runs && (cell->runs == 0 || spent < report->seconds);
}

static pdp_status plan_method(const paper_report *report, const pdp_problem *problem, const paper_method *m,
                              pdp_plan **plan) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    options.algorithm = m->algorithm;
    options.backend = m->on_device ? pdp_device_backend(report->device) : "cpu";
    options.device = m->on_device ? report->device : NULL;
    options.resident = m->resident;
    options.decisions = 0;
    return pdp_plan_create(plan, problem, &options);
}

/* Verified by its first execution, or the solution of that is kept for others. A method that cannot solve the
 * problem says why. */
static int measure(const paper_report *report, const pdp_problem *problem, const paper_method *m,
                   const expected *wanted, pdp_solution **kept, paper_cell *cell) {
    pdp_plan *plan = NULL;
    if (m->on_device && !report->device) {
        snprintf(cell->why, sizeof cell->why, "%s", report->why);
        return EXIT_DONE;
    }
    if (plan_method(report, problem, m, &plan) != PDP_OK) {
        snprintf(cell->why, sizeof cell->why, "%s", pdp_plan_error(plan));
        pdp_plan_free(plan);
        return EXIT_DONE;
    }
    snprintf(cell->type, sizeof cell->type, "%s", pdp_plan_type(plan));
    cell->threads = m->on_device ? 0 : pdp_plan_threads(plan);
    bool is_first = true, goes_on = true;
    double start = cli_now();
    int code = EXIT_DONE;
    while (goes_on && code == EXIT_DONE) {
        pdp_solution *solution = NULL;
        pdp_status status = pdp_plan_run(plan, &solution);
        code = status == PDP_OK
                   ? EXIT_DONE
                   : cli_fail(cli_exit_code(status), "%s, %s: %s", wanted->name, m->name, pdp_solution_error(solution));
        const double whole = pdp_solution_seconds(solution);
        const double spent = cli_now() - start;
        if (code == EXIT_DONE && is_first && !kept) {
            code = verify(wanted, solution, m->name);
        }
        goes_on = take_time(report, cell, is_first, m->on_device ? pdp_solution_device_seconds(solution) : whole, whole,
                            is_first ? whole : spent);
        if (is_first) {
            start = cli_now(); /* after the comparison */
        }
        if (is_first && kept) {
            *kept = solution;
        } else {
            pdp_solution_free(solution);
        }
        is_first = false;
    }
    pdp_plan_free(plan);
    return code;
}

/* ---- Table I ---- */

/* n and k from their ranges, k different offsets from 1 .. n/2, all equally likely: of those that are left take each
 * with the share that is still wanted. */
static int draw_row(paper_report *report, size_t number) {
    paper_row *row = &report->rows[number];
    uint64_t state = report->seed + number;
    row->range = (report->is_small ? small_table : table_one)[number];
    row->n = (uint64_t)pdp_random_between(&state, (int64_t)row->range.low_n, (int64_t)row->range.high_n);
    row->k = (uint64_t)pdp_random_between(&state, (int64_t)row->range.low_k, (int64_t)row->range.high_k);
    row->offsets = calloc(row->k, sizeof *row->offsets);
    row->consecutive = malloc(row->k * sizeof *row->consecutive);
    row->presets = malloc(row->n * sizeof *row->presets);
    row->weights = malloc(row->k * sizeof *row->weights);
    if (!row->offsets || !row->consecutive || !row->presets || !row->weights) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    size_t made = 0;
    for (int64_t a = (int64_t)(row->n / 2); made < row->k; a--) {
        if (pdp_random_between(&state, 1, a) <= (int64_t)(row->k - made)) {
            row->offsets[made++] = a;
        }
    }
    for (size_t j = 0; j < row->k; j++) {
        row->consecutive[j] = (int64_t)(row->k - j);
        row->weights[j] = pdp_random_between(&state, 0, 100);
    }
    for (size_t i = 0; i < row->n; i++) {
        row->presets[i] = pdp_random_between(&state, 0, 999999);
    }
    return EXIT_DONE;
}

/* Fig. 1: ST[i] = min over j of ST[i - a_j], for a_1 <= i < n; and with weights, ST[i - a_j] + w_j. */
static void run_loop(int64_t *st, const uint32_t *offsets, size_t n, size_t k) {
    for (size_t i = offsets[0]; i < n; i++) {
        int64_t best = st[i - offsets[0]];
        for (size_t j = 1; j < k; j++) {
            const int64_t term = st[i - offsets[j]];
            best = term < best ? term : best;
        }
        st[i] = best;
    }
}

static void run_weighted_loop(int64_t *st, const uint32_t *offsets, const int64_t *weights, size_t n, size_t k) {
    for (size_t i = offsets[0]; i < n; i++) {
        int64_t best = st[i - offsets[0]] + weights[0];
        for (size_t j = 1; j < k; j++) {
            const int64_t term = st[i - offsets[j]] + weights[j];
            best = term < best ? term : best;
        }
        st[i] = best;
    }
}

/* SEQUENTIAL. Its table is what the others have to give. */
static int measure_loop(const paper_report *report, const paper_row *row, paper_kind kind, paper_cell *cell,
                        int64_t *table) {
    const int64_t *own = kind == PAPER_CONSECUTIVE ? row->consecutive : row->offsets;
    uint32_t *offsets = calloc(row->k, sizeof *offsets);
    if (!offsets) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    for (size_t j = 0; j < row->k; j++) {
        offsets[j] = (uint32_t)own[j];
    }
    memcpy(table, row->presets, offsets[0] * sizeof *table);
    snprintf(cell->type, sizeof cell->type, "i64");
    cell->threads = 1;
    bool is_first = true, goes_on = true;
    double all = cli_now();
    while (goes_on) {
        const double start = cli_now();
        if (kind == PAPER_WEIGHTED) {
            run_weighted_loop(table, offsets, row->weights, row->n, row->k);
        } else {
            run_loop(table, offsets, row->n, row->k);
        }
        const double now = cli_now();
        goes_on = take_time(report, cell, is_first, now - start, now - start, is_first ? now - start : now - all);
        all = is_first ? now : all;
        is_first = false;
    }
    free(offsets);
    return EXIT_DONE;
}

static pdp_status make_weighted(const paper_row *row, pdp_problem **problem) {
    const int64_t n = (int64_t)row->n;
    pdp_recurrence *recurrence = NULL;
    pdp_status status = pdp_recurrence_load(&recurrence, "sdp_added");
    status = status == PDP_OK ? pdp_problem_create(problem, recurrence) : status;
    status = status == PDP_OK ? pdp_problem_set_text(*problem, "op", "min", 3) : status;
    status = status == PDP_OK ? pdp_problem_set_whole(*problem, "n", &n, 1, 0) : status;
    status = status == PDP_OK ? pdp_problem_set_whole(*problem, "a", row->offsets, row->k, 0) : status;
    status =
        status == PDP_OK ? pdp_problem_set_whole(*problem, "init", row->presets, (size_t)row->offsets[0], 0) : status;
    status = status == PDP_OK ? pdp_problem_set_whole(*problem, "w", row->weights, row->k, 0) : status;
    pdp_recurrence_free(recurrence);
    return status == PDP_OK ? pdp_problem_check(*problem) : status;
}

static int make_problem(const paper_row *row, paper_kind kind, pdp_problem **problem) {
    const int64_t *offsets = kind == PAPER_CONSECUTIVE ? row->consecutive : row->offsets;
    const pdp_sdp sdp = {.n = row->n,
                         .offsets = offsets,
                         .offset_count = row->k,
                         .presets = row->presets,
                         .preset_count = (size_t)offsets[0],
                         .op = PDP_MIN};
    pdp_status status = kind == PAPER_WEIGHTED ? make_weighted(row, problem) : pdp_problem_create_sdp(problem, &sdp);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(*problem));
}

static int measure_row(paper_report *report, size_t number, paper_kind kind) {
    paper_row *row = &report->rows[number];
    paper_cell *cells = row->cells[kind];
    pdp_problem *problem = NULL;
    char name[BENCH_NAME_SIZE];
    int64_t *table = calloc(row->n, sizeof *table);
    if (!table) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    int code = make_problem(row, kind, &problem);
    snprintf(name, sizeof name, "row %zu%s", number + 1,
             kind == PAPER_WEIGHTED      ? " with weights"
             : kind == PAPER_CONSECUTIVE ? " with consecutive offsets"
                                         : "");
    const expected wanted = {name, table, 1, row->n};
    code = code == EXIT_DONE ? measure_loop(report, row, kind, &cells[0], table) : code;
    for (size_t m = 1; m < PAPER_METHODS && code == EXIT_DONE; m++) {
        if (paper_methods[m].first_row_only && (number > 0 || kind == PAPER_CONSECUTIVE)) {
            snprintf(cells[m].why, sizeof cells[m].why, "for the first row only: it would take minutes");
        } else {
            code = measure(report, problem, &paper_methods[m], &wanted, NULL, &cells[m]);
        }
    }
    row->is_measured[kind] = code == EXIT_DONE;
    pdp_problem_free(problem);
    free(table);
    return code;
}

/* ---- Matrix chain ---- */

static int make_chain(const paper_report *report, uint64_t n, pdp_problem **problem) {
    /* Dimensions whose costs fit into an int32, so that the engine has its fastest type. */
    const int64_t most = (int64_t)fmin(1000, floor(cbrt(2147483647.0 / (4 * (double)n))));
    int64_t *dims = malloc((n + 1) * sizeof *dims);
    uint64_t state = report->seed;
    if (!dims) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    for (size_t x = 0; x <= n; x++) {
        dims[x] = pdp_random_between(&state, 1, most);
    }
    pdp_status status = pdp_problem_create_mcm(problem, dims, n + 1);
    free(dims);
    return status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_problem_error(*problem));
}

/* The costs of a schedule by the step-exact machine, whose table is verified too; that of the printed one, which need
 * not be right, is kept instead. */
static int run_machine(const pdp_problem *problem, const char *algorithm, const expected *wanted, paper_cost *cost,
                       pdp_solution **printed) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_plan *plan = NULL;
    pdp_solution *solution = NULL;
    options.algorithm = algorithm;
    options.backend = "cpu";
    options.record = 1;
    options.decisions = 0;
    pdp_status status = pdp_plan_create(&plan, problem, &options);
    int code = status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_plan_error(plan));
    status = code == EXIT_DONE ? pdp_plan_run(plan, &solution) : status;
    if (code == EXIT_DONE && status != PDP_OK) {
        code = cli_fail(cli_exit_code(status), "%s, %s: %s", wanted->name, algorithm, pdp_solution_error(solution));
    }
    if (code == EXIT_DONE) {
        const pdp_record *record = pdp_solution_record(solution);
        *cost =
            (paper_cost){true, false, (double)record->operations, (double)record->cost_dmm, (double)record->cost_umm};
    }
    if (code == EXIT_DONE && !pdp_plan_guaranteed(plan)) {
        *printed = solution;
        solution = NULL;
    } else if (code == EXIT_DONE) {
        code = verify(wanted, solution, algorithm);
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

/* An operation costs c + b/n slots, nearly: from the two sizes before this one. */
static void estimate_cost(paper_chain *chains, size_t at, size_t schedule) {
    paper_cost *cost = &chains[at].costs[schedule];
    size_t last = at;
    while (last > 0 && (!chains[last].costs[schedule].is_known || chains[last].costs[schedule].is_estimate)) {
        last--;
    }
    if (last == 0) {
        return;
    }
    const paper_cost *b = &chains[last].costs[schedule], *a = &chains[last - 1].costs[schedule];
    const double share = (1 / (double)chains[at].n - 1 / (double)chains[last].n) /
                         (1 / (double)chains[last].n - 1 / (double)chains[last - 1].n);
    const double ratio = pow((double)chains[at].n / (double)chains[last].n, 3); /* of the operations, nearly */
    *cost = (paper_cost){.is_known = true, .is_estimate = true, .operations = b->operations * ratio};
    const double dmm = b->dmm / b->operations, umm = b->umm / b->operations;
    cost->dmm = cost->operations * (dmm + share * (dmm - a->dmm / a->operations));
    cost->umm = cost->operations * (umm + share * (umm - a->umm / a->operations));
}

/* Steps, and so times, grow with the square of n at least. A method that would take longer than the limit is left out,
 * and says so. */
static bool is_too_long(paper_report *report, size_t at, size_t m) {
    paper_cell *cell = &report->chains[at].cells[m];
    const paper_cell *before = at > 0 ? &report->chains[at - 1].cells[m] : NULL;
    if (!before || (before->runs == 0 && before->expected == 0)) {
        return false;
    }
    const double growth = (double)report->chains[at].n / (double)report->chains[at - 1].n;
    cell->expected = growth * growth * (before->runs > 0 ? before->whole[0] : before->expected);
    if (cell->expected <= report->limit) {
        return false;
    }
    snprintf(cell->why, sizeof cell->why, "n = %" PRIu64 " would take more than %.0f s (--limit %g)",
             report->chains[at].n, cell->expected, report->limit);
    return true;
}

/* Everything but the reference, whose table is right. */
static int measure_others(paper_report *report, size_t at, const pdp_problem *problem, const expected *right) {
    paper_chain *chain = &report->chains[at];
    expected as_printed = *right;
    pdp_solution *printed = NULL;
    int code = EXIT_DONE;
    for (size_t s = 0; s < PAPER_SCHEDULES && code == EXIT_DONE; s++) {
        if (chain->n <= report->model) {
            code = run_machine(problem, paper_schedules[s], right, &chain->costs[s], &printed);
        } else {
            estimate_cost(report->chains, at, s);
        }
    }
    for (size_t m = 1; m < PAPER_CHAIN_METHODS && code == EXIT_DONE; m++) {
        const paper_method *method = &paper_chain_methods[m];
        if (is_too_long(report, at, m)) {
            continue;
        }
        if (strcmp(method->algorithm, "pipeline-printed") != 0) {
            code = measure(report, problem, method, right, NULL, &chain->cells[m]);
        } else if (printed) {
            as_printed.table = pdp_solution_table(printed, NULL, NULL);
            code = measure(report, problem, method, &as_printed, NULL, &chain->cells[m]);
        } else {
            code = measure(report, problem, method, &as_printed, &printed, &chain->cells[m]);
        }
    }
    pdp_solution_free(printed);
    return code;
}

static int measure_chain(paper_report *report, size_t at) {
    paper_chain *chain = &report->chains[at];
    pdp_problem *problem = NULL;
    pdp_solution *reference = NULL;
    char name[BENCH_NAME_SIZE];
    snprintf(name, sizeof name, "matrix chain, n = %" PRIu64, chain->n);
    expected right = {name, NULL, chain->n + 1, chain->n + 1};
    int code = make_chain(report, chain->n, &problem);
    if (code == EXIT_DONE) {
        code = measure(report, problem, &paper_chain_methods[0], &right, &reference, &chain->cells[0]);
        right.table = pdp_solution_table(reference, NULL, NULL);
    }
    if (code == EXIT_DONE) {
        code = right.table ? measure_others(report, at, problem, &right)
                           : cli_fail(EXIT_FAILED, "%s: %s", name, chain->cells[0].why);
    }
    pdp_solution_free(reference);
    pdp_problem_free(problem);
    return code;
}

/* ---- The command ---- */

static bool has_part(const paper_report *report, const char *part) {
    const char *list = report->parts;
    char item[BENCH_NAME_SIZE];
    while (list && bench_next_item(&list, item, sizeof item)) {
        if (strcmp(item, part) == 0) {
            return true;
        }
    }
    return !report->parts;
}

static int run_rows(paper_report *report) {
    const bool has_table = has_part(report, "table"), has_worst = has_part(report, "consecutive");
    int code = EXIT_DONE;
    for (size_t r = 0; r < PAPER_ROWS && (has_table || has_worst) && code == EXIT_DONE; r++) {
        code = draw_row(report, r);
        code = code == EXIT_DONE && has_table ? measure_row(report, r, PAPER_PLAIN) : code;
        code = code == EXIT_DONE && has_table ? measure_row(report, r, PAPER_WEIGHTED) : code;
        if (code == EXIT_DONE && has_table) {
            paper_print_row(report, r);
        }
    }
    /* The loop alone would take half a minute for the last one. */
    for (size_t r = 0; r + 1 < PAPER_ROWS && has_worst && code == EXIT_DONE; r++) {
        code = measure_row(report, r, PAPER_CONSECUTIVE);
        if (code == EXIT_DONE) {
            paper_print_consecutive(report, r);
        }
    }
    return code;
}

static int run_chains(paper_report *report) {
    int code = EXIT_DONE;
    for (size_t c = 0; c < PAPER_CHAINS && code == EXIT_DONE; c++) {
        report->chains[c].n = (report->is_small ? small_chain_sizes : chain_sizes)[c];
        code = measure_chain(report, c);
        report->chain_count += code == EXIT_DONE;
    }
    if (code == EXIT_DONE) {
        paper_print_chains(report);
    }
    return code;
}

/* Under `auto` a GPU if there is one; without one the CPU's columns are measured. */
static int open_device(paper_report *report) {
    const bool is_auto = strcmp(report->backend, "auto") == 0;
    if (strcmp(report->backend, "cpu") == 0) {
        snprintf(report->why, sizeof report->why, "--backend is cpu");
        return EXIT_DONE;
    }
    pdp_status status = pdp_device_open(&report->device, is_auto ? "cuda" : report->backend);
    if (status == PDP_OK) {
        return EXIT_DONE;
    }
    snprintf(report->why, sizeof report->why, "%s", pdp_device_error(report->device));
    pdp_device_free(report->device);
    report->device = NULL;
    return is_auto ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", report->why);
}

enum { KEY_REPS = 1024, KEY_SECONDS, KEY_SEED, KEY_SMALL, KEY_MODEL, KEY_LIMIT, KEY_PARTS, KEY_PLOT };

static const struct argp_option options[] = {
    {"backend", 'b', "B", 0, "auto (default: a GPU by CUDA, if there is one), cpu, cuda, opencl or host", 0},
    {"parts", KEY_PARTS, "PART,...", 0, "What to measure (default: all): table, consecutive, chain", 0},
    {"reps", KEY_REPS, "R", 0, "Executions to average, 1 to 100 (default 100)", 0},
    {"seconds", KEY_SECONDS, "S", 0, "No further execution of a method after so long (default 0.5)", 0},
    {"seed", KEY_SEED, "S", 0, "Seed of n, k and the data (default 1)", 0},
    {"model", KEY_MODEL, "N", 0, "The longest chain whose DMM and UMM costs are computed (default 1024)", 0},
    {"limit", KEY_LIMIT, "S", 0, "Leave a method out for a chain that would take it longer (default 60)", 0},
    {"small", KEY_SMALL, 0, 0, "Sizes that take a moment, to see whether all of it works", 0},
    {"json", 'j', 0, 0, "Write JSON, with all offsets", 0},
    {"plot", KEY_PLOT, "F.svg", 0, "Draw a picture too (needs gnuplot)", 0},
    {0},
};

/* Each item of a list is one of these words. */
static void check_words(struct argp_state *state, const char *option, const char *list, const char *words) {
    char item[BENCH_NAME_SIZE], word[BENCH_NAME_SIZE];
    do {
        const char *rest = words;
        bool is_one = false;
        bench_next_item(&list, item, sizeof item);
        while (!is_one && bench_next_item(&rest, word, sizeof word)) {
            is_one = strcmp(item, word) == 0;
        }
        if (!is_one) {
            argp_error(state, "%s: '%s' is none of %s", option, item, words);
        }
    } while (*list != '\0');
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    paper_report *report = state->input;
    switch (key) {
    case 'b':
        report->backend = argument;
        check_words(state, "--backend", argument, "auto,cpu,cuda,opencl,host");
        return 0;
    case KEY_PARTS:
        check_words(state, "--parts", argument, "table,consecutive,chain");
        report->parts = argument;
        return 0;
    case KEY_REPS:
        cli_check_value(state, "--reps", argument, option_parse_unsigned(argument, &report->runs));
        if (report->runs < 1 || report->runs > PAPER_MOST_RUNS) {
            argp_error(state, "--reps: '%s' is not 1 to %d", argument, PAPER_MOST_RUNS);
        }
        return 0;
    case KEY_SECONDS:
        cli_check_value(state, "--seconds", argument, option_parse_seconds(argument, &report->seconds));
        return 0;
    case KEY_SEED: cli_check_value(state, "--seed", argument, option_parse_unsigned(argument, &report->seed)); return 0;
    case KEY_MODEL: cli_check_value(state, "--model", argument, bench_parse_size(argument, &report->model)); return 0;
    case KEY_LIMIT:
        cli_check_value(state, "--limit", argument, option_parse_seconds(argument, &report->limit));
        return 0;
    case KEY_SMALL: report->is_small = true; return 0;
    case 'j': report->json = true; return 0;
    case KEY_PLOT: report->plot = cli_path(argument); return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc =
        "Table I of the paper on this machine: S-DP with min, n and k drawn from the ranges of its rows, offsets drawn "
        "from 1 .. n/2; the same with a weight added to each term; consecutive offsets, which are the pipeline's worst "
        "case; and matrix chains by every method, with the costs of DMM and UMM beside them. Times are means, on a GPU "
        "by its own clock from the first step to the last. Every table is compared with that of a plain loop before "
        "its time is printed.\vWithout a GPU the methods of the CPU are measured alone. The paper's methods compute in "
        "int64, a launch a step; 'resident' ones have one launch, and their groups wait for each other after each "
        "step.\n\nExamples:\n"
        "  pipedp bench paper\n"
        "  pipedp bench paper --parts table --seconds 60 --json\n"
        "  pipedp bench paper --backend host --small",
};

static void free_report(paper_report *report) {
    for (size_t r = 0; r < PAPER_ROWS; r++) {
        free(report->rows[r].offsets);
        free(report->rows[r].consecutive);
        free(report->rows[r].presets);
        free(report->rows[r].weights);
    }
    pdp_device_free(report->device);
    free(report);
}

int bench_paper(int argc, char **argv) {
    paper_report *report = calloc(1, sizeof *report);
    if (!report) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    report->backend = "auto";
    report->runs = PAPER_MOST_RUNS;
    report->seconds = 0.5;
    report->seed = 1;
    report->model = 1024;
    report->limit = 60;
    cli_parse(&argp, argc, argv, report);
    int code = report->plot ? bench_plot_check() : EXIT_DONE;
    code = code == EXIT_DONE ? open_device(report) : code;
    if (code == EXIT_DONE) {
        paper_print_head(report);
        code = run_rows(report);
    }
    code = code == EXIT_DONE && has_part(report, "chain") ? run_chains(report) : code;
    if (code == EXIT_DONE && report->json) {
        paper_write_json(report);
    }
    code = code == EXIT_DONE && report->plot ? paper_plot(report) : code;
    free_report(report);
    return code;
}
