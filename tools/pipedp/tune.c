/* pipedp tune: measures the rates by which plans choose between methods, and keeps them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "json.h"

enum { ROUNDS = 7 };

/* A problem that a method takes some milliseconds for, most of them at one rate. */
typedef struct sample {
    const char *algorithm;
    const char *recurrence; /* NULL: the paper's S-DP */
    const char *type;       /* or NULL */
    size_t n;
    size_t most;  /* of the offsets */
    int64_t high; /* of its values */
    pdp_operator op;
    int64_t modulus; /* 0: values that do not fit are an error; -1: they wrap around */
} sample;

static const sample samples[] = {
    {"tiles", "mcm", "i32", 1200, 0, 20, PDP_MIN, 0},
    {"tiles", "mcm", "i64", 1200, 0, 20, PDP_MIN, 0},
    {"tiles", "mcm", "f32", 1200, 0, 10, PDP_MIN, 0},
    {"tiles", "mcm", "f64", 1200, 0, 20, PDP_MIN, 0},
    {"tiles", "mcm", NULL, 300, 0, 1000000, PDP_MIN, 0},
    {"sequential", NULL, NULL, 1 << 13, 1 << 12, 1000, PDP_MIN, 0},
    {"sequential", "merge", NULL, 120, 0, 20, PDP_MIN, 0},
    {"hu-shing", "mcm", NULL, 50000, 0, 1000, PDP_MIN, 0},
    {"knuth", "merge", NULL, 2500, 0, 20, PDP_MIN, 0},
    {"blocks", NULL, "i32", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"blocks", NULL, "i64", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"blocks", NULL, "f32", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"blocks", NULL, "f64", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"blocks", NULL, NULL, 1 << 16, 1 << 15, 1000, PDP_ADD, 998244353},
    {"blocks", NULL, NULL, 1 << 16, 1 << 15, 1000, PDP_ADD, -1},
    {"settle", NULL, NULL, 1 << 20, 1 << 14, 1000000, PDP_MIN, 0},
    {"runs", NULL, NULL, 1 << 14, 1 << 13, 1000000, PDP_MIN, 0},
    {"series", NULL, NULL, 1 << 20, 1 << 18, 1000000, PDP_ADD, 998244353},
    {"bostan-mori", NULL, NULL, 1 << 18, 1 << 17, 1000000, PDP_ADD, 998244353},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static int64_t *draw(uint64_t *state, size_t count, int64_t low, int64_t high) {
    int64_t *values = malloc(count * sizeof *values);
    for (size_t x = 0; values && x < count; x++) {
        values[x] = pdp_random_between(state, low, high);
    }
    return values;
}

/* n cells, and every other offset or so. */
static pdp_status make_line(const sample *s, uint64_t *state, pdp_problem **out) {
    const size_t most = s->most;
    int64_t *presets = draw(state, most, 0, s->high), *offsets = malloc(most * sizeof *offsets);
    size_t count = 0;
    for (int64_t v = (int64_t)most; offsets && v > 0; v -= pdp_random_between(state, 1, 3)) {
        offsets[count++] = v;
    }
    const pdp_sdp sdp = {.n = s->n,
                         .offsets = offsets,
                         .offset_count = count,
                         .presets = presets,
                         .preset_count = most,
                         .op = s->op,
                         .overflow = s->modulus > 0   ? PDP_OVERFLOW_MOD
                                     : s->modulus < 0 ? PDP_OVERFLOW_WRAP
                                                      : PDP_OVERFLOW_ERROR,
                         .modulus = s->modulus > 0 ? s->modulus : 0};
    const pdp_status status = offsets && presets ? pdp_problem_create_sdp(out, &sdp) : PDP_NO_MEMORY;
    free(presets);
    free(offsets);
    return status;
}

static pdp_status make_problem(const sample *s, pdp_problem **out) {
    uint64_t state = 1;
    if (!s->recurrence) {
        return make_line(s, &state, out);
    }
    int64_t *values = draw(&state, s->n, 1, s->high);
    pdp_recurrence *recurrence = NULL;
    pdp_status status = values ? pdp_recurrence_load(&recurrence, s->recurrence) : PDP_NO_MEMORY;
    if (status == PDP_OK && pdp_problem_create(out, recurrence) == PDP_OK) {
        status = pdp_problem_set_whole(*out, s->recurrence[1] == 'c' ? "p" : "w", values, s->n, 0);
    }
    pdp_recurrence_free(recurrence);
    free(values);
    return status;
}

/* The candidate of the sample's method. */
static bool find_candidate(const pdp_plan *plan, const char *algorithm, pdp_candidate *out) {
    size_t x = 0;
    while (pdp_plan_candidate(plan, x, out) &&
           (strcmp(out->algorithm, algorithm) != 0 || strcmp(out->backend, "cpu") != 0)) {
        x++;
    }
    return pdp_plan_candidate(plan, x, out) && !out->refused;
}

/* The least seconds of a run of one thread. */
static int measure(const pdp_plan *plan, double *least) {
    *least = (double)INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        pdp_solution *solution = NULL;
        const double start = bench_seconds(false);
        const pdp_status status = pdp_plan_run(plan, &solution);
        const double seconds = bench_seconds(false) - start;
        const int code =
            status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s", pdp_solution_error(solution));
        pdp_solution_free(solution);
        if (code != EXIT_DONE) {
            return code;
        }
        *least = seconds < *least ? seconds : *least;
    }
    return EXIT_DONE;
}

/* Sets the rate that a sample is for: what is predicted besides its steps is taken off. A method that cannot be had
 * here keeps the rate it has. */
static int tune_sample(const sample *s, pdp_rates *rates) {
    pdp_options options = PDP_OPTIONS_DEFAULT;
    pdp_problem *problem = NULL;
    pdp_plan *plan = NULL;
    pdp_candidate candidate;
    double seconds = 0;
    int code = EXIT_DONE;
    options.algorithm = s->algorithm;
    options.type = s->type;
    options.threads = 1;
    options.table = 0;
    options.decisions = 0;
    options.explain = 1;
    options.rates = rates;
    options.backend = "cpu";
    if (make_problem(s, &problem) == PDP_OK && pdp_plan_create(&plan, problem, &options) == PDP_OK &&
        find_candidate(plan, s->algorithm, &candidate)) {
        code = measure(plan, &seconds);
        const double others = candidate.seconds - candidate.operations / pdp_rates_get(rates, (size_t)candidate.rate);
        const double own = seconds > 2 * others ? seconds - others : seconds / 2;
        if (code == EXIT_DONE) {
            pdp_rates_set(rates, (size_t)candidate.rate, candidate.operations / own);
        }
    }
    pdp_plan_free(plan);
    pdp_problem_free(problem);
    return code;
}

/* ---- The command ---- */

static const struct argp_option options[] = {
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    switch (key) {
    case 'j': *(bool *)state->input = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc =
        "Measures how fast this machine is at each method, in some seconds, and keeps that in the cache folder for all "
        "later solves: by these rates they choose. Without it there are rates of a machine like others. What "
        "compilers and GPUs take to start is not measured.\vExamples:\n  pipedp tune\n  pipedp tune --json",
};

static void print_rates(const pdp_rates *rates, const pdp_rates *built_in, bool as_json) {
    json writer;
    if (as_json) {
        json_begin(&writer, stdout);
        json_open_object(&writer, NULL);
    } else {
        printf("%-24s %12s %12s\n", "steps a second", "measured", "built in");
    }
    for (size_t x = 0; pdp_rates_name(x); x++) {
        if (as_json) {
            json_double(&writer, pdp_rates_name(x), pdp_rates_get(rates, x));
        } else {
            printf("%-24s %12.3g %12.3g\n", pdp_rates_name(x), pdp_rates_get(rates, x), pdp_rates_get(built_in, x));
        }
    }
    if (as_json) {
        json_close_object(&writer);
        json_end(&writer);
    }
}

int command_tune(int argc, char **argv) {
    bool as_json = false;
    pdp_rates *rates = NULL, *built_in = NULL;
    int code = EXIT_DONE;
    cli_parse(&argp, argc, argv, &as_json);
    cli_catch_signals();
    pdp_status status = pdp_rates_create(&rates, 1);
    status = status == PDP_OK ? pdp_rates_create(&built_in, 1) : status;
    for (size_t s = 0; s < SAMPLES && status == PDP_OK && code == EXIT_DONE && cli_interrupted() == 0; s++) {
        code = tune_sample(&samples[s], rates);
    }
    if (status == PDP_OK && code == EXIT_DONE && cli_interrupted() == 0) {
        print_rates(rates, built_in, as_json);
        status = pdp_rates_save(rates);
    }
    if (status != PDP_OK) {
        code = cli_fail(cli_exit_code(status), "%s", pdp_rates_error(rates));
    }
    pdp_rates_free(rates);
    pdp_rates_free(built_in);
    return code;
}
