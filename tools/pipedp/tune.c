/* pipedp tune: measures the rates by which plans choose between methods, and keeps them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "json.h"

enum { ROUNDS = 9 };

/* A problem that a method takes some milliseconds for, most of them at one rate. */
typedef struct sample {
    const char *backend;
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
    {"cpu", "tiles", "mcm", "i32", 1200, 0, 20, PDP_MIN, 0},
    {"cpu", "tiles", "mcm", "i64", 1200, 0, 20, PDP_MIN, 0},
    {"cpu", "tiles", "mcm", "f32", 1200, 0, 10, PDP_MIN, 0},
    {"cpu", "tiles", "mcm", "f64", 1200, 0, 20, PDP_MIN, 0},
    {"cpu", "tiles", "mcm", NULL, 300, 0, 1000000, PDP_MIN, 0},
    {"cpu", "sequential", NULL, NULL, 1 << 13, 1 << 12, 1000, PDP_MIN, 0},
    {"cpu", "sequential", "merge", NULL, 120, 0, 20, PDP_MIN, 0},
    {"cpu", "hu-shing", "mcm", NULL, 50000, 0, 1000, PDP_MIN, 0},
    {"cpu", "knuth", "merge", NULL, 2000, 0, 20, PDP_MIN, 0},
    {"cpu", "blocks", NULL, "i32", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"cpu", "blocks", NULL, "i64", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"cpu", "blocks", NULL, "f32", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"cpu", "blocks", NULL, "f64", 1 << 16, 1 << 15, 1000, PDP_MIN, 0},
    {"cpu", "blocks", NULL, NULL, 1 << 16, 1 << 15, 1000, PDP_ADD, 998244353},
    {"cpu", "blocks", NULL, NULL, 1 << 16, 1 << 15, 1000, PDP_ADD, -1},
    {"cpu", "blocks", NULL, "i32", 1 << 16, 1 << 15, 1000, PDP_XOR, 0},
    {"cpu", "settle", NULL, NULL, 1 << 20, 1 << 14, 1000000, PDP_MIN, 0},
    {"cpu", "runs", NULL, NULL, 1 << 19, 1 << 13, 1000000, PDP_MIN, 0},
    {"cpu", "blocks", NULL, "i32", 1 << 19, 15, 1000, PDP_MIN, 0},
    {"cpu", "runs", NULL, NULL, 1 << 20, 15, 1000, PDP_MIN, 0},
    {"cpu", "series", NULL, NULL, 1 << 19, 1 << 14, 1000000, PDP_ADD, 998244353},
    {"cpu", "bostan-mori", NULL, NULL, 1 << 18, 1 << 17, 1000000, PDP_ADD, 998244353},
    {"cuda", "tiles", "mcm", "i32", 6000, 0, 20, PDP_MIN, 0},
    {"cuda", "blocks", NULL, "i32", 1 << 18, 1 << 17, 1000, PDP_MIN, 0},
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

/* A sample that is measured. */
typedef struct gauge {
    pdp_problem *problem;
    pdp_options options;
    pdp_plan *plan; /* with its candidates; NULL if the method cannot be had here */
    bool on_device;
    double seconds; /* the least of all rounds: of this process, or on the wall if it waits for a device */
} gauge;

static void gauge_open(gauge *g, const sample *s, const pdp_rates *rates, pdp_device *device) {
    *g = (gauge){
        .options = PDP_OPTIONS_DEFAULT, .on_device = strcmp(s->backend, "cpu") != 0, .seconds = (double)INFINITY};
    g->options.algorithm = s->algorithm;
    g->options.backend = s->backend;
    g->options.device = g->on_device ? device : NULL;
    g->options.type = s->type;
    g->options.threads = 1;
    g->options.table = 0;
    g->options.decisions = 0;
    g->options.explain = 1;
    g->options.rates = rates;
    pdp_status status = g->on_device && !device ? PDP_DEVICE : make_problem(s, &g->problem);
    for (int times = 0; times < 2 && status == PDP_OK; times++) { /* the second one does not reckon with a compiler */
        pdp_plan_free(g->plan);
        status = pdp_plan_create(&g->plan, g->problem, &g->options);
    }
    if (status != PDP_OK) {
        pdp_plan_free(g->plan);
        g->plan = NULL;
    }
    g->options.explain = 0;
}

static void gauge_close(gauge *g) {
    pdp_plan_free(g->plan);
    pdp_problem_free(g->problem);
}

/* Plan and solve: some methods look through the data in the plan. A device that fails has no rates. */
static int gauge_run(gauge *g) {
    pdp_solution *solution = NULL;
    pdp_plan *plan = NULL;
    const double start = bench_seconds(g->on_device);
    pdp_status status = pdp_plan_create(&plan, g->problem, &g->options);
    const bool is_planned = status == PDP_OK;
    status = is_planned ? pdp_plan_run(plan, &solution) : status;
    const double seconds = bench_seconds(g->on_device) - start;
    int code = EXIT_DONE;
    if (status == PDP_OK) {
        g->seconds = seconds < g->seconds ? seconds : g->seconds;
    } else if (g->on_device) {
        pdp_plan_free(g->plan);
        g->plan = NULL;
    } else {
        code = cli_fail(cli_exit_code(status), "%s", is_planned ? pdp_solution_error(solution) : pdp_plan_error(plan));
    }
    pdp_solution_free(solution);
    pdp_plan_free(plan);
    return code;
}

/* Sets the rate that a sample is for. What is predicted for the pages that it touches is taken off; a device was
 * started before. */
static void gauge_set(const gauge *g, const sample *s, pdp_rates *rates) {
    pdp_candidate candidate;
    size_t x = 0;
    while (pdp_plan_candidate(g->plan, x, &candidate) &&
           (strcmp(candidate.algorithm, s->algorithm) != 0 || strcmp(candidate.backend, s->backend) != 0)) {
        x++;
    }
    if (!pdp_plan_candidate(g->plan, x, &candidate) || candidate.refused) {
        return;
    }
    const double others = candidate.seconds - candidate.operations / pdp_rates_get(rates, (size_t)candidate.rate);
    const double own = g->on_device ? g->seconds : fmax(g->seconds - others, g->seconds / 2);
    pdp_rates_set(rates, (size_t)candidate.rate, candidate.operations / own);
}

/* Everyone in turn, so that a while in which others use the machine spoils a round and not a rate. */
static int tune(pdp_rates *rates, pdp_device *device) {
    gauge gauges[SAMPLES];
    int code = EXIT_DONE;
    for (size_t s = 0; s < SAMPLES; s++) {
        gauge_open(&gauges[s], &samples[s], rates, device);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t s = 0; s < SAMPLES && code == EXIT_DONE && cli_interrupted() == 0; s++) {
            code = gauges[s].plan ? gauge_run(&gauges[s]) : EXIT_DONE;
        }
    }
    for (size_t s = 0; s < SAMPLES; s++) {
        if (gauges[s].plan && code == EXIT_DONE && cli_interrupted() == 0) {
            gauge_set(&gauges[s], &samples[s], rates);
        }
        gauge_close(&gauges[s]);
    }
    return code;
}

/* Opens the GPU, and takes the time of that for its rate. NULL if there is none. */
static pdp_device *open_device(pdp_rates *rates) {
    pdp_device *device = NULL;
    const double start = bench_seconds(true);
    if (pdp_device_open(&device, "cuda") != PDP_OK) {
        pdp_device_free(device);
        return NULL;
    }
    for (size_t x = 0; pdp_rates_name(x); x++) {
        if (strcmp(pdp_rates_name(x), "starts of a GPU") == 0) {
            pdp_rates_set(rates, x, 1 / (bench_seconds(true) - start));
        }
    }
    return device;
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
        "is not measured keeps those.\vExamples:\n  pipedp tune\n  pipedp tune --json",
};

/* One that was is not the built-in one to the last bit. */
static bool was_measured(double rate, double built_in) {
    return rate < built_in || rate > built_in;
}

static void print_rates(const pdp_rates *rates, const pdp_rates *built_in, bool as_json) {
    json writer;
    if (as_json) {
        json_begin(&writer, stdout);
        json_open_object(&writer, NULL);
    } else {
        printf("%-24s %12s %12s\n", "steps a second", "measured", "built in");
    }
    for (size_t x = 0; pdp_rates_name(x); x++) {
        const char *name = pdp_rates_name(x);
        const double rate = pdp_rates_get(rates, x), standard = pdp_rates_get(built_in, x);
        const bool is_measured = was_measured(rate, standard);
        if (as_json && is_measured) {
            json_put_double(&writer, name, rate);
        } else if (as_json) {
            json_put_null(&writer, name);
        } else if (is_measured) {
            printf("%-24s %12.3g %12.3g\n", name, rate, standard);
        } else {
            printf("%-24s %12s %12.3g\n", name, "-", standard);
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
    if (status == PDP_OK) {
        pdp_device *device = open_device(rates);
        code = tune(rates, device);
        pdp_device_free(device);
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
